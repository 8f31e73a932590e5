import type { Store } from '../clickhouse/port.ts';
import { openRemoteStore, type RemoteStoreOptions } from '../clickhouse/remote-client.ts';
import { type Check, runCheck } from './check.ts';
import { clockSkew } from './clock-skew.ts';

const REACH =
  'see that it runs and listens there; check clickhouse.url, clickhouse.user, clickhouse.password and clickhouse.tls.*';
const ALL = 'GRANT SELECT, INSERT, CREATE DATABASE, CREATE TABLE, CREATE VIEW, ALTER ON rollstream.* TO NAME';

/** Version, tables, rights, clock. */
export async function checkClickhouse(options: RemoteStoreOptions, now: () => number): Promise<Check[]> {
  const stores: Store[] = [];
  const answers = await runCheck('clickhouse', REACH, async () => {
    const store = await openRemoteStore(options);
    stores.push(store);
    const [row] = await store.query<{ version: string }>('SELECT version() AS version');
    return `answers, version ${row?.version ?? 'unknown'}`;
  });
  const [store] = stores;
  if (store === undefined) return [answers];
  try {
    return [
      answers,
      await runCheck('tables', '`rollstream up` of this version creates them; see the message for more', async () => {
        await store.migrate({ onlyCheck: true });
        return 'all migrations of this version are applied, and no others';
      }),
      await checkInsert(store),
      await runCheck('clickhouse clock', REACH, () =>
        clockSkew(now, async () => {
          const [row] = await store.query<{ ms: number }>('SELECT toUnixTimestamp64Milli(now64(3)) AS ms');
          return Number(row?.ms);
        }),
      ),
    ];
  } finally {
    await store.close();
  }
}

async function checkInsert(store: Store): Promise<Check> {
  const name = 'right to insert';
  try {
    const [row] = await store.query<{ result: number }>('CHECK GRANT INSERT ON rollstream.*');
    if (row !== undefined && Number(row.result) === 1) return { name, status: 'ok', detail: 'granted', fix: '' };
    return { name, status: 'fail', detail: 'not granted on rollstream.*', fix: ALL };
  } catch (error) {
    // A server, or a proxy before it, that does not know the statement.
    const detail = error instanceof Error ? error.message : String(error);
    return { name, status: 'unknown', detail: `cannot be asked: ${detail}`, fix: '' };
  }
}
