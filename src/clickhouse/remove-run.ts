import { sqlName, sqlString } from './sql-string.ts';

/**
 * Takes the rows of a run out of the tables, not only out of sight: the parts that hold some are written anew, and it is waited for.
 * Where that takes longer than a request may, the engine goes on: asked again it finds less, or nothing. Rows that come meanwhile stay.
 */
export async function removeRun(
  run: (sql: string) => Promise<void>,
  tables: readonly string[],
  runId: string,
): Promise<void> {
  const where = `DELETE WHERE run_id = ${sqlString(runId)} SETTINGS mutations_sync = 2`;
  for (const table of tables) await run(`ALTER TABLE rollstream.${sqlName(table)} ${where}`);
}
