import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import { openRemoteStore } from '../../../src/clickhouse/remote-client.ts';
import { startFront } from '../../clickhouse-front/start-front.ts';
import { storeContract } from '../../contract/store.ts';

storeContract('the engine in this process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-store-'));
  const store = await openEmbeddedStore({ folder });
  return {
    store,
    async cleanup() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

storeContract('a server over HTTP', async () => {
  const front = await startFront({ writable: true, token: 'a secret of the server' });
  const store = await openRemoteStore({ url: front.url, user: 'rollstream', password: 'a secret of the server' });
  return {
    store,
    async cleanup() {
      await store.close();
      await front.remove();
    },
  };
});
