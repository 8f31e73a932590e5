import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import { packageFile } from '../../../src/config/package-file.ts';

const CACHE = packageFile('node_modules', '.cache', 'migrated-stores');

/** Makes `folder` that of a store that was migrated and closed. To copy one costs a fifth of what the migrations do. */
export async function copyMigratedStore(folder: string): Promise<void> {
  const made = join(CACHE, hashOfMakers());
  if (!(await stat(made).catch(() => null))) await make(made);
  await cp(made, folder, { recursive: true });
}

async function make(made: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, 'draft-'));
  const store = await openEmbeddedStore({ folder: draft });
  await store.migrate();
  await store.close();
  // Whole or not at all: another process may make it at the same time, and the first one stays.
  await rename(draft, made).catch(() => rm(draft, { recursive: true }));
}

/** Whatever may change what a migrated store is: a cache of another text is not used. */
function hashOfMakers(): string {
  const hash = createHash('sha256').update(readFileSync(packageFile('node_modules', 'chdb', 'package.json')));
  for (const folder of [packageFile('infra', 'clickhouse', 'migrations'), packageFile('src', 'clickhouse')])
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile()) hash.update(`${entry.name}\n`).update(readFileSync(join(folder, entry.name)));
  return hash.digest('hex');
}
