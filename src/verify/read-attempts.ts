import type { Access } from '../access/access.ts';
import type { QueryParams } from '../clickhouse/port.ts';
import type { AttemptScope } from './attempt-scope.ts';
import type { JudgedAttempt } from './judged-attempt.ts';

/** Attempts that are in memory at once. */
const PAGE = 10_000;
const COLUMNS = 'run_id, purpose, env_name, task_id, epoch, group_id, group_size, unit, rollout_id, attempt';

export async function countAttempts(access: Pick<Access, 'query'>, { sql, params }: AttemptScope): Promise<number> {
  const [row] = await rowsOf<{ readonly n: number }>(access, `SELECT toUInt32(count()) AS n ${sql}`, params);
  return row?.n ?? 0;
}

/** Attempts of a scope, in the order of their key. */
export async function* readAttempts(
  access: Pick<Access, 'query'>,
  { sql, params }: AttemptScope,
): AsyncGenerator<readonly JudgedAttempt[]> {
  let after = { after_run: '', after_unit: '', after_rollout: '', after_attempt: -1 };
  for (;;) {
    const page = await rowsOf<JudgedAttempt>(
      access,
      `SELECT ${COLUMNS} ${sql}
        AND (run_id, unit, rollout_id, attempt) >
          ({after_run:String}, {after_unit:String}, {after_rollout:String}, {after_attempt:Int32})
       ORDER BY run_id, unit, rollout_id, attempt LIMIT ${PAGE}`,
      { ...params, ...after },
    );
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = {
      after_run: last.run_id,
      after_unit: last.unit,
      after_rollout: last.rollout_id,
      after_attempt: last.attempt,
    };
  }
}

/** Rows of a statement of our own, by the way that users take: with their limits, and from here or elsewhere. */
export async function rowsOf<Row>(
  access: Pick<Access, 'query'>,
  sql: string,
  params: QueryParams,
): Promise<readonly Row[]> {
  const text = await access.query(sql, 'jsonl', params);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): Row => JSON.parse(line));
}
