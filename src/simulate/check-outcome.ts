import type { StepEvent } from '../../schemas/generated/step-event.ts';
import type { LogRecord } from '../broker/port.ts';
import { balanceProblem, isLost, isReleased, outTopicOf, visibleRows } from './books.ts';
import { gateProblem } from './gate-problem.ts';
import { type HeldOutcome, heldProblem } from './held-problem.ts';
import { lagProblem } from './lag-problem.ts';
import type { MemoryStore, Row } from './memory-store.ts';

/** All that an outsider can see of a simulation that has drained. */
export interface Outcome {
  readonly store: MemoryStore;
  readonly input: ReadonlyArray<{ readonly record: LogRecord; readonly event: StepEvent | null }>;
  /** Records of the output topics, decoded. */
  readonly output: Readonly<Record<'ready' | 'held' | 'rejected' | 'retries', readonly OutRecord[]>>;
  readonly deadLetters: readonly LogRecord[];
  readonly forwarding: HeldOutcome;
  /** The log has forgotten what is below. */
  readonly logStart: number;
  /** In force before any control event. */
  readonly firstPolicyId: string;
}

/** A trajectory, or a request to run again. */
export type OutRecord = Readonly<Record<string, unknown>>;

class Broken extends Error {}

/** What must hold once all is drained; throws with the first that does not. */
export function checkOutcome(outcome: Outcome): void {
  checkTopics(outcome);
  checkInput(outcome);
  checkDecisions(outcome);
  const lag = lagProblem(outcome);
  must(lag === null, `staleness: ${lag}`);
  const gate = gateProblem(outcome);
  must(gate === null, `gate: ${gate}`);
  checkRetries(outcome);
  checkBooks(outcome.store);
  checkForwarding(outcome.forwarding);
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what);
}

const identityOf = (row: OutRecord): string => JSON.stringify([row.run_id, row.epoch, row.rollout_id, row.attempt]);

/** Each decision is on the topic of its disposition, once, and says the same there. */
function checkTopics({ store, output, deadLetters, input }: Outcome): void {
  const decisions = visibleRows(store, 'decisions');
  for (const topic of ['ready', 'held', 'rejected', 'retries'] as const) {
    // What was held is ready, too, once it was released.
    const isWanted = (row: Row) =>
      topic === 'held'
        ? row.held === true
        : outTopicOf(row) === topic && (topic !== 'ready' || row.held !== true || isReleased(store, row));
    const wanted = new Map(decisions.filter(isWanted).map((row) => [identityOf(row), row]));
    const sent = output[topic].map(identityOf);
    must(
      JSON.stringify([...sent].sort()) === JSON.stringify([...wanted.keys()].sort()),
      `${topic}: not once each, or not what the store says: ${sent.join(' ')} sent, ${[...wanted.keys()].join(' ')} decided`,
    );
    const same = topic === 'retries' ? ['policy_id', 'offset'] : ['policy_id', 'reward', 'advantage', 'disposition'];
    for (const record of output[topic])
      for (const field of same)
        must(
          record[field] === wanted.get(identityOf(record))?.[field],
          `${topic}: ${identityOf(record)} differs in ${field}`,
        );
  }
  const rollouts = output.ready.map((row) => JSON.stringify([row.run_id, row.epoch, row.rollout_id]));
  must(new Set(rollouts).size === rollouts.length, 'a rollout is ready twice');
  const poison = input.filter(({ event }) => event === null).map(({ record }) => String(record.offset));
  must(JSON.stringify(deadLetters.map(({ headers }) => headers.offset)) === JSON.stringify(poison), 'dead-letter');
}

/** Every record is accounted for, once. What repeats a verdict or phase that came too late replaces its row, whose key is its id. */
function checkInput({ store, input, logStart }: Outcome): void {
  const times = new Map<number, number>();
  const ids = new Set<string>();
  const seen = (row: Row) => times.set(Number(row.offset), (times.get(Number(row.offset)) ?? 0) + 1);
  for (const table of ['steps', 'step_faults', 'dead_letters']) visibleRows(store, table).forEach(seen);
  for (const row of visibleRows(store, 'verdicts')) {
    ids.add(String(row.event_id));
    if (row.late === true) seen(row);
  }
  for (const row of visibleRows(store, 'steps')) if (row.seq === -1) ids.add(String(row.event_id));
  /** Of a unit that the log has forgotten, what had not been folded is nowhere; its attempts are in the books as lost. */
  const forgotten = new Set(
    input.filter(({ record }) => record.offset < logStart).map(({ record }) => record.key?.toString()),
  );
  for (const { record, event } of input) {
    const { offset } = record;
    const mayBeLost = record.key !== null && forgotten.has(record.key.toString());
    const count = times.get(offset) ?? 0;
    const mayRepeat = event !== null && event.seq === null && ids.has(event.event_id);
    must(count === 1 || (count === 0 && (mayRepeat || mayBeLost)), `record ${offset} is accounted for ${count} times`);
  }
}

function checkDecisions({ store, input, output, firstPolicyId }: Outcome): void {
  const steps = visibleRows(store, 'steps');
  const verdicts = visibleRows(store, 'verdicts');
  const groups = new Map<string, Set<unknown>>();
  for (const decision of visibleRows(store, 'decisions')) {
    // No record closed it, and no policy decided.
    if (isLost(decision)) continue;
    const policies = input.filter(
      ({ record, event }) => record.offset < Number(decision.offset) && event?.control?.policy,
    );
    const inForce = policies.at(-1)?.event?.control?.policy?.policy_id ?? firstPolicyId;
    must(decision.policy_id === inForce, `${identityOf(decision)}: decided under another policy than was in force`);
    if (outTopicOf(decision) !== 'ready') continue;
    if (decision.group_size !== null) {
      const group = groups.get(String(decision.unit)) ?? new Set();
      groups.set(String(decision.unit), group.add(decision.offset));
    }
    if (decision.verifier_status === 'none') continue;
    const mine = verdicts.filter((row) => identityOf(row) === identityOf(decision));
    must(
      mine.some((row) => row.late === false),
      `${identityOf(decision)}: its verdict is marked late`,
    );
  }
  for (const [unit, offsets] of groups) must(offsets.size === 1, `${unit}: a group left twice`);
  for (const trajectory of output.ready) {
    const whole = steps.filter((row) => identityOf(row) === identityOf(trajectory));
    const end = whole.find((row) => row.kind === 'end')?.seq;
    // What claims to come after the end may have been taken in before the end came.
    const own = whole.filter((row) => row.kind === 'model_call' && Number(row.seq) < Number(end));
    own.sort((a, b) => Number(a.seq) - Number(b.seq));
    const sampled = own.flatMap((row) => row.completion_ids).join();
    must(sampled === sampledOf(trajectory), `${identityOf(trajectory)}: its tokens are not those of its steps`);
  }
}

/** Sampled tokens in the order in which they were sampled: those of a segment that its parent does not hold. */
function sampledOf({ segments }: OutRecord): string {
  const ids: number[] = [];
  for (const { token_ids, sampled_mask, fork_at } of Array.isArray(segments) ? segments : [])
    for (let i = fork_at ?? 0; i < sampled_mask.length; i++)
      if (sampled_mask[i] === 1) ids.push(token_ids.readUInt32LE(i * 4));
  return ids.join();
}

/** Whoever was asked to run again, and did, is not refused. */
function checkRetries({ store, input, output }: Outcome): void {
  const faults = visibleRows(store, 'step_faults');
  // Somebody else had begun that attempt.
  const foreign = new Set(faults.filter(({ reason }) => reason === 'not_owner').map(({ offset }) => offset));
  for (const retry of output.retries) {
    if (retry.group_size !== null) continue;
    const came = input.some(
      ({ record, event }) =>
        event?.kind === 'start' &&
        !foreign.has(record.offset) &&
        record.offset > Number(retry.offset) &&
        identityOf({ ...retry, attempt: retry.next_attempt }) === identityOf({ ...event }),
    );
    const taken = visibleRows(store, 'attempts').some(
      (row) => row.rollout_id === retry.rollout_id && Number(row.attempt) > Number(retry.attempt),
    );
    must(!came || taken, `${identityOf(retry)}: the attempt that was asked for was refused`);
  }
}

/** The identity holds, and it can fail: any row less, and it does not hold. */
function checkBooks(store: MemoryStore): void {
  const problem = balanceProblem(store);
  must(problem === null, `accounting: ${problem}`);
  const attempts = visibleRows(store, 'attempts');
  for (const [table, rows] of [
    ['attempts', attempts],
    ['decisions', visibleRows(store, 'decisions')],
    ['lanes', attempts.length === 0 ? [] : store.rows('lanes')],
  ] as const)
    for (const row of rows) {
      const putBack = store.remove(table, row);
      must(balanceProblem(store) !== null, `accounting does not miss a row of ${table}`);
      putBack();
    }
}

/** Each row of released is needed: without it, the books have what is ready as held. */
function checkForwarding(forwarding: HeldOutcome): void {
  const problem = heldProblem(forwarding);
  must(problem === null, `forwarding: ${problem}`);
  for (const row of forwarding.store.rows('released')) {
    const putBack = forwarding.store.remove('released', row);
    must(heldProblem(forwarding) !== null, 'forwarding does not miss a row of released');
    putBack();
  }
}
