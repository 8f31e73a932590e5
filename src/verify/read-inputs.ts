import type { Access } from '../access/access.ts';
import type { AttemptInput } from './attempt-input.ts';
import { inputOf, type ToldEvent } from './input-of.ts';
import { attemptKeyOf, type JudgedAttempt } from './judged-attempt.ts';
import { rowsOf } from './read-attempts.ts';

/** Rollouts that one statement names: a parameter of a statement has a limit. */
const NAMED = { attempts: 256, characters: 50_000 };
/** Text of a page, and of one attempt; more than that of one attempt is shown to no verifier. */
const PAGE_BYTES = 16 * 2 ** 20;
const ATTEMPT_BYTES = 64 * 2 ** 20;

interface Size {
  readonly bytes: number;
  readonly has_end: 0 | 1;
}

/** What a verifier is shown of attempts, in pages that fit into memory. `onlyEnded`: those without their end are passed over. */
export async function* readInputs(
  access: Pick<Access, 'query'>,
  attempts: AsyncIterable<readonly JudgedAttempt[]>,
  { onlyEnded }: { readonly onlyEnded: boolean },
): AsyncGenerator<readonly AttemptInput[]> {
  for await (const some of attempts) {
    for (const named of portionsOf(some, NAMED.characters, ({ rollout_id }) => rollout_id.length + 3)) {
      const sizes = await readSizes(access, named);
      const sizeOf = (one: JudgedAttempt) => sizes.get(attemptKeyOf(one)) ?? { bytes: 0, has_end: 0 };
      const wanted = named.filter((one) => !onlyEnded || sizeOf(one).has_end === 1);
      const small = wanted.filter((one) => sizeOf(one).bytes <= ATTEMPT_BYTES);
      const large = wanted.filter((one) => sizeOf(one).bytes > ATTEMPT_BYTES);
      if (large.length > 0) yield large.map((attempt) => ({ ...inputOf(attempt, []), refused: 'too_large' }));
      for (const page of portionsOf(small, PAGE_BYTES, (one) => sizeOf(one).bytes)) yield await readPage(access, page);
    }
  }
}

const OF = `run_id = {run:String} AND rollout_id IN {rollouts:Array(String)}`;
const TOLD = `kind IN ('start', 'message', 'model_call', 'tool_result', 'end')`;

async function readSizes(
  access: Pick<Access, 'query'>,
  attempts: readonly JudgedAttempt[],
): Promise<ReadonlyMap<string, Size>> {
  const rows = await rowsOf<Size & JudgedAttempt>(
    access,
    `SELECT run_id, unit, rollout_id, attempt, max(kind = 'end') AS has_end,
       toFloat64(sum(length(ifNull(text, '')) + length(ifNull(extra_json, '')) + length(ifNull(task_metadata_json, ''))
         + length(ifNull(tools_json, '')) + arraySum(arrayMap(a -> length(ifNull(a, '')), tool_calls.arguments_raw))
         + arraySum(arrayMap(a -> length(ifNull(a, '')), tool_calls.arguments_parsed)))) AS bytes
     FROM rollstream.live_steps WHERE ${OF} AND ${TOLD}
     GROUP BY run_id, unit, rollout_id, attempt`,
    namesOf(attempts),
  );
  return new Map(rows.map((row) => [attemptKeyOf(row), row]));
}

async function readPage(
  access: Pick<Access, 'query'>,
  attempts: readonly JudgedAttempt[],
): Promise<readonly AttemptInput[]> {
  const rows = await rowsOf<ToldEvent & JudgedAttempt>(
    access,
    `SELECT run_id, unit, rollout_id, attempt, segment_id, kind, source_format, text, extra_json, role, call_id,
       tool_name, tools_json, has_completion_ids, toUInt32(length(completion_ids)) AS n_completion,
       tool_calls.call_id AS call_ids, tool_calls.name AS call_names, tool_calls.arguments_raw AS call_raw,
       tool_calls.arguments_parsed AS call_parsed, tool_calls.char_start AS call_starts,
       task_metadata_json, reasons.raw AS reasons_raw, reasons.system AS reasons_system, env_reward
     FROM rollstream.live_steps WHERE ${OF} AND ${TOLD}
     ORDER BY unit, rollout_id, attempt, seq`,
    namesOf(attempts),
  );
  const events = new Map<string, ToldEvent[]>();
  for (const row of rows) {
    const others = events.get(attemptKeyOf(row));
    if (others === undefined) events.set(attemptKeyOf(row), [row]);
    else others.push(row);
  }
  return attempts.map((attempt) => inputOf(attempt, events.get(attemptKeyOf(attempt)) ?? []));
}

/** Portions are of one run. */
function namesOf(attempts: readonly JudgedAttempt[]) {
  return { run: attempts[0]?.run_id ?? '', rollouts: [...new Set(attempts.map(({ rollout_id }) => rollout_id))] };
}

/** In order, each of one run; a single attempt may weigh more than a portion may. */
function* portionsOf(
  attempts: readonly JudgedAttempt[],
  mostWeight: number,
  weightOf: (attempt: JudgedAttempt) => number,
): Generator<readonly JudgedAttempt[]> {
  let portion: JudgedAttempt[] = [];
  let weight = 0;
  for (const attempt of attempts) {
    const own = weightOf(attempt);
    const isFull = portion.length === NAMED.attempts || weight + own > mostWeight;
    if (portion.length > 0 && (isFull || portion[0]?.run_id !== attempt.run_id)) {
      yield portion;
      portion = [];
      weight = 0;
    }
    portion.push(attempt);
    weight += own;
  }
  if (portion.length > 0) yield portion;
}
