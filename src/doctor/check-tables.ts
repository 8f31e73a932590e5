import { type AppDeps, openApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { type Check, CheckFault, runCheck } from './check.ts';

const OTHER = 'import into a fresh data folder: something else made these tables';

/** Of an embedded store that nobody has open: it opens, and each table has its rows on disk before it acknowledges them. */
export async function checkTables(config: Config, deps: Omit<AppDeps, 'url' | 'withLanes'>): Promise<Check[]> {
  const check = await runCheck('store', 'the message says more; --log-level debug most', async () => {
    const app = await openApp(config, { ...deps, url: null, withLanes: false });
    try {
      const rows = await app.store.query<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = 'rollstream' AND engine LIKE '%MergeTree'
         AND create_table_query NOT LIKE '%fsync_after_insert = 1%' ORDER BY name`,
      );
      if (rows.length === 0) return 'opens, and every table has fsync_after_insert';
      throw new CheckFault(`without fsync_after_insert: ${rows.map(({ name }) => name).join(', ')}`, OTHER);
    } finally {
      await app.close();
    }
  });
  return [check];
}
