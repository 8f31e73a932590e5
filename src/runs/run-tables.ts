import type { Store } from '../clickhouse/port.ts';
import { sqlName, sqlString } from '../clickhouse/sql-string.ts';

/** Tables whose rows are of a run, as the schema says it: one that comes later is among them. `runs` itself tells what became of it. */
export async function runTables(store: Pick<Store, 'query'>): Promise<string[]> {
  const rows = await store.query<{ name: string }>(`
    SELECT t.name AS name
    FROM system.tables AS t
    INNER JOIN (SELECT table FROM system.columns WHERE database = 'rollstream' AND name = 'run_id') AS c ON c.table = t.name
    WHERE t.database = 'rollstream' AND t.engine LIKE '%MergeTree' AND t.name != 'runs'
    ORDER BY t.name`);
  return rows.map(({ name }) => name);
}

/** Rows of the run by table, those that newer ones have replaced among them; tables without any are left out. */
export async function countRunRows(
  store: Pick<Store, 'query'>,
  tables: readonly string[],
  runId: string,
): Promise<Record<string, number>> {
  const parts = tables.map(
    (table) =>
      `SELECT ${sqlString(table)} AS name, count() AS n FROM rollstream.${sqlName(table)} WHERE run_id = {run:String}`,
  );
  const rows = await store.query<{ name: string; n: number }>(parts.join(' UNION ALL '), { run: runId });
  return Object.fromEntries(rows.filter(({ n }) => Number(n) > 0).map(({ name, n }) => [name, Number(n)]));
}
