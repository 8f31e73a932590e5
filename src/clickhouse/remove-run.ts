import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryParams } from './port.ts';
import { sqlName, sqlString } from './sql-string.ts';

export interface RemoveDeps {
  readonly run: (sql: string) => Promise<void>;
  readonly query: <Row extends object>(sql: string, params: QueryParams) => Promise<Row[]>;
}

const LOOK_MS = 50;

/**
 * Takes the rows of a run out of the tables, not only out of sight: the parts that hold some are written anew, in the background of
 * the engine. Asked again it finds less, or nothing. Rows that come meanwhile stay.
 */
export async function removeRun({ run, query }: RemoveDeps, tables: readonly string[], runId: string): Promise<void> {
  for (const table of tables)
    await run(`ALTER TABLE rollstream.${sqlName(table)} DELETE WHERE run_id = ${sqlString(runId)}`);
  for (;;) {
    const left = await query<{ table: string; why: string }>(
      `SELECT table, latest_fail_reason AS why FROM system.mutations
       WHERE database = 'rollstream' AND NOT is_done AND table IN {tables:Array(String)}`,
      { tables },
    );
    const failed = left.find(({ why }) => why !== '');
    if (failed !== undefined) throw new Error(`removing rows of a run from ${failed.table}: ${failed.why}`);
    if (left.length === 0) return;
    await sleep(LOOK_MS);
  }
}
