import { setTimeout as sleep } from 'node:timers/promises';
import type { Accounting } from '../../src/clickhouse/accounting.ts';

/** A call that the store holds, or a try that gave the client no answer and stands as a fact of the call that did. */
export interface RecordedTry {
  readonly requestId: string | null;
  /** null: of a try they are not kept. */
  readonly promptIds: readonly number[] | null;
  readonly completionIds: readonly number[] | null;
  readonly logprobs: readonly number[] | null;
  readonly text: string;
  readonly error: string | null;
}

export interface RecordedRollout {
  readonly tries: readonly RecordedTry[];
  readonly seqs: readonly number[];
  readonly ends: number;
}

export interface RecordedRun {
  readonly rollouts: ReadonlyMap<string, RecordedRollout>;
  /** But for repeats of what is there: what had not been answered for when one side was killed is sent again. */
  readonly faults: readonly string[];
  readonly deadLetters: number;
  readonly books: Accounting['runs'][number] | undefined;
}

interface Row {
  readonly rollout_id: string;
  readonly seq: number;
  readonly kind: string;
  readonly segment_id: string;
  readonly call_id: string | null;
  readonly prompt_prefix_len: number | null;
  readonly has_prompt_delta_ids: boolean;
  readonly prompt_delta_ids: readonly number[];
  readonly has_completion_ids: boolean;
  readonly completion_ids: readonly number[];
  readonly has_completion_logprobs: boolean;
  readonly completion_logprobs: readonly number[];
  readonly text: string | null;
  readonly error_type: string | null;
  readonly extra_json: string | null;
}

interface Extra {
  readonly attempts?: ReadonlyArray<{
    readonly request_id: string | null;
    readonly completion_ids: readonly number[] | null;
    readonly text: string | null;
    readonly error: { readonly type: string | null } | null;
  }>;
}

/** Of a run, once so many rollouts have ended in the store, and are in its books. */
export async function recordedRun(server: string, run: string, rollouts: number): Promise<RecordedRun> {
  const of = `FINAL WHERE run_id = '${run}'`;
  let books = await booksOf(server, run);
  while (books === undefined || books.started < rollouts || books.open > 0) {
    await sleep(50);
    books = await booksOf(server, run);
  }
  const rows = await query<Row>(
    server,
    `SELECT rollout_id, seq, kind, segment_id, call_id, prompt_prefix_len, has_prompt_delta_ids, prompt_delta_ids, has_completion_ids,
       completion_ids, has_completion_logprobs, completion_logprobs, text, error_type, extra_json
     FROM rollstream.steps ${of} ORDER BY rollout_id, attempt, seq`,
  );
  const faults = await query<{ what: string }>(
    server,
    `SELECT concat(reason, ': ', kind, ' ', toString(seq), ' of ', rollout_id, ' ', ifNull(error_type, '')) AS what
     FROM rollstream.step_faults ${of} AND reason != 'duplicate'
       AND (reason NOT IN ('late', 'already_decided') OR event_id NOT IN (SELECT event_id FROM rollstream.steps ${of}))`,
  );
  const letters = await query<object>(server, 'SELECT 1 AS one FROM rollstream.dead_letters FINAL');
  return {
    rollouts: rolloutsOf(rows),
    faults: faults.map(({ what }) => what),
    deadLetters: letters.length,
    books,
  };
}

async function booksOf(server: string, run: string): Promise<Accounting['runs'][number] | undefined> {
  const answer = await fetch(`${server}/v1/accounting?run=${run}`);
  if (answer.status === 404) return undefined;
  const { runs }: Accounting = JSON.parse(await answer.text());
  return runs.find(({ run_id }) => run_id === run);
}

function rolloutsOf(rows: readonly Row[]): Map<string, RecordedRollout> {
  const rollouts = new Map<string, { tries: RecordedTry[]; seqs: number[]; ends: number }>();
  const held = new Map<string, readonly number[]>();
  for (const row of rows) {
    const rollout = rollouts.get(row.rollout_id) ?? { tries: [], seqs: [], ends: 0 };
    rollouts.set(row.rollout_id, rollout);
    rollout.seqs.push(row.seq);
    if (row.kind === 'end') rollout.ends += 1;
    if (row.kind === 'model_call') rollout.tries.push(...triesOf(row), callOf(row, held));
  }
  return rollouts;
}

function triesOf({ extra_json }: Row): RecordedTry[] {
  const { attempts = [] }: Extra = JSON.parse(extra_json ?? '{}');
  return attempts.map(({ request_id, completion_ids, text, error }) => ({
    ...{ requestId: request_id, promptIds: null, completionIds: completion_ids, logprobs: null },
    ...{ text: text ?? '', error: error?.type ?? null },
  }));
}

/** Its prompt is put together again from what travelled of it. */
function callOf(row: Row, held: Map<string, readonly number[]>): RecordedTry {
  const segment = `${row.rollout_id} ${row.segment_id}`;
  const before = (held.get(segment) ?? []).slice(0, row.prompt_prefix_len ?? 0);
  const promptIds = row.has_prompt_delta_ids ? [...before, ...row.prompt_delta_ids] : null;
  const completionIds = row.has_completion_ids ? row.completion_ids : null;
  if (promptIds !== null && completionIds !== null) held.set(segment, [...promptIds, ...completionIds]);
  const logprobs = row.has_completion_logprobs ? row.completion_logprobs.map(Math.fround) : null;
  const { call_id: requestId, text, error_type: error } = row;
  return { requestId, promptIds, completionIds, logprobs, text: text ?? '', error };
}

async function query<T>(server: string, sql: string): Promise<T[]> {
  const body = JSON.stringify({ sql, format: 'json' });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${server}/v1/query`, { method: 'POST', headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}
