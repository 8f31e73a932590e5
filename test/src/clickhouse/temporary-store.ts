import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import type { Store } from '../../../src/clickhouse/port.ts';
import { copyMigratedStore } from './migrated-folder.ts';

export interface TemporaryStore {
  readonly store: Store;
  readonly folder: string;
  remove(): Promise<void>;
}

/** A migrated store in a folder of its own. A process can have one open at a time. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-store-'));
  await copyMigratedStore(folder);
  const store = await openEmbeddedStore({ folder });
  await store.migrate();
  return {
    store,
    folder,
    async remove() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
