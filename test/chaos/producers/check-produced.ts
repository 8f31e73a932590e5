import { isDeepStrictEqual } from 'node:util';
import type { TrajectoryJson } from '../../../src/ready/trajectory-json.ts';
import { attemptName, type ExpectedAttempt, isEnded, type Truth } from './expected-attempts.ts';
import { type ExpectedCall, expectedSegments } from './expected-segments.ts';
import type { DecisionRow, ProducedOutcome, StepRow, VerdictRow } from './produced-outcome.ts';

/** Everything that differs between what producers wrote down and what came of it, a line each. */
export function checkProduced(truth: Truth, outcome: ProducedOutcome): string[] {
  const { steps, unaccepted, verdicts, decisions, deadLetters, ready } = outcome;
  // Sent when a later attempt of its rollout had begun.
  const stale = grouped(unaccepted.filter((row) => row.reason === 'stale_attempt' && isRetried(truth, row)));
  const rowsOf = grouped(steps);
  const verdictsOf = grouped(verdicts);
  const decisionsOf = grouped(decisions);
  const readyOf = grouped(ready);
  const wrong = [...truth.complaints];
  for (const [name, expected] of truth.attempts) {
    const { segments, calls } = expectedSegments(expected);
    const rows = rowsOf.get(name) ?? [];
    const made = { rows, verdicts: verdictsOf.get(name) ?? [], decisions: decisionsOf.get(name) ?? [] };
    const problems = [
      ...checkSteps(expected, calls, [...rows, ...(stale.get(name) ?? [])]),
      ...checkVerdicts(expected, made.verdicts),
      ...checkEnding(expected, {
        ...made,
        ready: readyOf.get(name) ?? [],
        isRetried: isRetried(truth, { rollout_id: expected.rollout, attempt: expected.attempt }),
      }),
      ...(readyOf.get(name) ?? []).flatMap((trajectory) => checkSegments(segments, trajectory)),
    ];
    wrong.push(...problems.map((problem) => `${name}: ${problem}`));
  }
  for (const name of new Set([...rowsOf.keys(), ...readyOf.keys(), ...decisionsOf.keys()]))
    if (!truth.attempts.has(name)) wrong.push(`${name}: nobody recorded it`);
  for (const { rollout_id, attempt, kind, seq, reason } of unaccepted)
    if (stale.get(attemptName(rollout_id, attempt)) === undefined)
      wrong.push(`${attemptName(rollout_id, attempt)}: ${kind} ${seq} was not accepted: ${reason}`);
  if (deadLetters > 0) wrong.push(`${deadLetters} dead letters`);
  return [...wrong, ...checkAccounting(truth, outcome)];
}

function grouped<T extends { readonly rollout_id: string; readonly attempt: number }>(rows: readonly T[]) {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const name = attemptName(row.rollout_id, row.attempt);
    const others = found.get(name);
    if (others === undefined) found.set(name, [row]);
    else others.push(row);
  }
  return found;
}

function isRetried({ attempts }: Truth, { rollout_id, attempt }: { rollout_id: string; attempt: number }): boolean {
  return attempts.has(attemptName(rollout_id, attempt + 1));
}

/** Each event once, in its order, with its content. */
function checkSteps(
  expected: ExpectedAttempt,
  calls: ReadonlyMap<string, ExpectedCall>,
  rows: readonly StepRow[],
): string[] {
  const wrong: string[] = [];
  const placed = rows.filter(({ seq }) => seq >= 0).toSorted((a, b) => a.at - b.at);
  if (placed.some(({ seq }, at) => seq !== at)) wrong.push(`seqs on the log: ${placed.map(({ seq }) => seq)}`);
  const events = [...expected.events.values()].filter(({ event }) => event.kind !== 'verdict');
  for (const { event, isSure } of events) {
    const row = placed.find(({ seq }) => String(seq) === event.key);
    if (row === undefined) {
      if (isSure) wrong.push(`${event.kind} ${event.key} is not there`);
    } else if (row.kind !== event.kind) wrong.push(`${event.key} is a ${row.kind}, not a ${event.kind}`);
    else if (event.kind === 'model_call' && !isCall(row, calls.get(event.key)))
      wrong.push(`model_call ${event.key} is not as it was recorded`);
    else if (event.text !== undefined && row.text !== JSON.stringify(event.text))
      wrong.push(`message ${event.key} is ${row.text}, not ${event.text}`);
  }
  // A recorder that is closed may end what is open.
  const further = placed.slice(events.length);
  if (!(further.length === 0 || (expected.isStopped && further.length === 1 && further[0]?.kind === 'end')))
    wrong.push(`${further.length} events that nobody recorded`);
  return wrong;
}

function isCall(row: StepRow, call: ExpectedCall | undefined): boolean {
  return (
    call !== undefined &&
    row.prompt_prefix_len === call.prefix &&
    isDeepStrictEqual(row.prompt_delta_ids, call.delta) &&
    isDeepStrictEqual(row.completion_ids, call.completion) &&
    isDeepStrictEqual(row.completion_logprobs.map(Math.fround), call.logprobs)
  );
}

function checkVerdicts({ events }: ExpectedAttempt, rows: readonly VerdictRow[]): string[] {
  const told = [...events.values()].find(({ event }) => event.kind === 'verdict');
  if (rows.length > 1) return [`${rows.length} verdicts`];
  const [row] = rows;
  if (row === undefined) return told?.isSure === true ? ['its verdict is not there'] : [];
  return row.reward === told?.event.reward ? [] : [`its verdict is ${row.reward}, not ${told?.event.reward}`];
}

interface Made {
  readonly rows: readonly StepRow[];
  readonly decisions: readonly DecisionRow[];
  readonly ready: readonly TrajectoryJson[];
  readonly isRetried: boolean;
}

/** Decided once; trained once where its producer ended it, else not. */
function checkEnding(expected: ExpectedAttempt, { rows, decisions, ready, isRetried }: Made): string[] {
  const [decision] = decisions;
  if (rows.length === 0 && decision === undefined && ready.length === 0) return [];
  if (decision === undefined || decisions.length > 1) return [`${decisions.length} decisions`];
  const ended = isEnded(expected);
  const { reason_code, disposition } = decision;
  const isTrained = reason_code === 'task_complete' && disposition === 'train' && ready.length === 1;
  const isLost = ['retry', 'drop'].includes(disposition) && reason_code === 'worker_lost' && ready.length === 0;
  const isSuperseded = isRetried && disposition === 'superseded' && ready.length === 0;
  const isRight =
    ended === undefined ? isLost || isSuperseded : isTrained || (!ended.isSure && (isLost || isSuperseded));
  return isRight
    ? []
    : [`${ended ? 'ended' : 'left open'}: ${reason_code}, ${disposition}, ${ready.length} times ready`];
}

/** Ids, masks and logprobs, bit by bit. */
function checkSegments(
  expected: ReturnType<typeof expectedSegments>['segments'],
  { segments }: TrajectoryJson,
): string[] {
  const wanted = expected.map(({ ids, logprobs }) => ({
    ids,
    sampled: logprobs.map((logprob) => (logprob === null ? 0 : 1)),
    logprobs: logprobs.map((logprob) => logprob ?? 0),
  }));
  const got = segments.map(({ token_ids, sampled_mask, logprobs }) => ({
    ids: token_ids,
    sampled: sampled_mask,
    logprobs: logprobs?.map(Math.fround),
  }));
  return isDeepStrictEqual(got, wanted) ? [] : ['its trajectory is not what was recorded'];
}

function checkAccounting({ attempts }: Truth, { accounting, decisions, ready }: ProducedOutcome): string[] {
  const started = decisions.length;
  const got = [accounting?.started, accounting?.ready, accounting?.open, accounting?.lost, accounting?.balanced];
  if (attempts.size === 0) return ['nothing was recorded'];
  return isDeepStrictEqual(got, [started, ready.length, 0, 0, true])
    ? []
    : [`accounting: ${JSON.stringify(got)}, not ${started} started and ${ready.length} ready, all closed`];
}
