import type { RunAccounting } from '../../../src/clickhouse/accounting.ts';
import type { TrajectoryJson } from '../../../src/ready/trajectory-json.ts';

/** What a run came to, asked of a server from outside. */
export interface ProducedOutcome {
  readonly steps: readonly StepRow[];
  readonly verdicts: readonly VerdictRow[];
  readonly decisions: readonly DecisionRow[];
  /** Events of which no copy was accepted, the first of each. */
  readonly unaccepted: readonly UnacceptedRow[];
  /** Reasons of all step faults, each with how many there are: a copy of what was accepted before is one. */
  readonly faults: readonly { readonly reason: string; readonly n: number }[];
  readonly deadLetters: number;
  readonly ready: readonly TrajectoryJson[];
  readonly accounting: RunAccounting | undefined;
}

export interface StepRow {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly seq: number;
  readonly kind: string;
  /** Offset on the log. */
  readonly at: number;
  readonly prompt_prefix_len: number | null;
  readonly prompt_delta_ids: readonly number[];
  readonly completion_ids: readonly number[];
  readonly completion_logprobs: readonly number[];
  readonly text: string | null;
}

export interface UnacceptedRow extends StepRow {
  readonly reason: string;
}

export interface VerdictRow {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly scorer: string;
  readonly reward: number | null;
}

export interface DecisionRow {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly reason_code: string;
  readonly disposition: string;
}

const COLUMNS = `rollout_id, attempt, seq, kind, toFloat64(offset) AS at, prompt_prefix_len, prompt_delta_ids,
  completion_ids, completion_logprobs, text`;
const STEPS = `SELECT ${COLUMNS} FROM rollstream.live_steps WHERE run_id = {run:String} AND kind != 'control'`;
const UNACCEPTED = `SELECT ${COLUMNS}, reason FROM rollstream.live_step_faults WHERE run_id = {run:String}
AND (rollout_id, attempt, event_id) NOT IN (
  SELECT rollout_id, attempt, event_id FROM rollstream.live_steps WHERE run_id = {run:String}
)
ORDER BY offset LIMIT 1 BY rollout_id, attempt, event_id`;
const VERDICTS = `SELECT rollout_id, attempt, scorer, rewards['reward'] AS reward
FROM rollstream.live_verdicts WHERE run_id = {run:String}`;
const DECISIONS = `SELECT rollout_id, attempt, reason_code, disposition
FROM rollstream.live_decisions WHERE run_id = {run:String}`;
const FAULTS = `SELECT reason, toUInt32(count()) AS n FROM rollstream.live_step_faults
WHERE run_id = {run:String} GROUP BY reason ORDER BY reason`;
const LETTERS = 'SELECT toUInt32(count()) AS n FROM rollstream.dead_letters FINAL';

export async function readOutcome(url: string, run: string): Promise<ProducedOutcome> {
  const query = async <T>(sql: string): Promise<T[]> => {
    const body = JSON.stringify({ sql, params: { run }, format: 'json' });
    const answer = await fetch(`${url}/v1/query`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`POST /v1/query: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const [letters] = await query<{ n: number }>(LETTERS);
  return {
    ...{ steps: await query<StepRow>(STEPS), unaccepted: await query<UnacceptedRow>(UNACCEPTED) },
    ...{ verdicts: await query<VerdictRow>(VERDICTS) },
    ...{ decisions: await query<DecisionRow>(DECISIONS), faults: await query<{ reason: string; n: number }>(FAULTS) },
    ...{ deadLetters: letters?.n ?? 0, ready: await readReady(url, run), accounting: await accountingOf(url, run) },
  };
}

/** Until all that was taken in has been folded, and nothing of these runs is open. */
export async function untilClosed(url: string, runs: readonly string[], withinMs: number): Promise<void> {
  for (const until = performance.now() + withinMs; performance.now() < until; ) {
    await (await fetch(`${url}/v1/import/drained`)).text();
    const books = await Promise.all(runs.map((run) => accountingOf(url, run)));
    if (books.every((one) => one === undefined || one.open === 0)) return;
  }
}

async function accountingOf(url: string, run: string): Promise<RunAccounting | undefined> {
  const answer = await fetch(`${url}/v1/accounting?run=${run}`);
  const { runs }: { runs: RunAccounting[] } = JSON.parse(await answer.text());
  return runs[0];
}

/** The whole topic. */
async function readReady(url: string, run: string): Promise<TrajectoryJson[]> {
  const found: TrajectoryJson[] = [];
  for (let from = '0', isMore = true; isMore; ) {
    const answer = await fetch(`${url}/v1/ready?run=${run}&limit=1000&from=${from}`);
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    found.push(...lines.map((line): TrajectoryJson => JSON.parse(line)));
    from = answer.headers.get('rollstream-next') ?? '0';
    isMore = answer.headers.get('rollstream-remaining') === '1';
  }
  return found;
}
