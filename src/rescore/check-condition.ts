import type { Store } from '../clickhouse/port.ts';
import { sqlTokens } from '../clickhouse/sql-tokens.ts';
import { RollstreamError } from '../errors.ts';
import { bad } from '../server/request-value.ts';

/**
 * Refuses what is not one condition on columns of `live_decisions`. It stands in parentheses in the statements that it is used in:
 * what closes them, or comments them out, could make another statement of those.
 */
export async function checkCondition(store: Pick<Store, 'queryAsReader'>, condition: string): Promise<void> {
  const cut = sqlTokens(condition);
  if (!Array.isArray(cut)) throw bad('where', `where: ${cut.problem} at ${cut.at + 1} cannot stand in a condition`);
  if (cut.length === 0) throw bad('where', 'where: a condition is needed');
  let depth = 0;
  for (const { kind, text, start } of cut) {
    if (kind !== 'mark') continue;
    if (text === ';') throw bad('where', 'where: one condition, and no other statement');
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) throw bad('where', `where: the parenthesis at ${start + 1} closes nothing`);
  }
  if (depth > 0) throw bad('where', 'where: a parenthesis is not closed');
  try {
    // Run once with the limits of a reader: the statements that it stands in have none. A comment at its end ends with the line.
    await store.queryAsReader(
      `SELECT count() FROM (SELECT unit FROM rollstream.live_decisions WHERE (\n${condition}\n))`,
      'JSONEachRow',
    );
  } catch (cause) {
    if (!(cause instanceof RollstreamError) || !cause.code.startsWith('RS_QUERY_')) throw cause;
    throw new RollstreamError(cause.code, `where: not a condition on columns of live_decisions: ${cause.message}`, {
      cause,
      facts: { field: 'where' },
    });
  }
}
