import type { Logger } from 'pino';
import type { Progress } from '../../processors/cut/progress.ts';
import type { Bounds, Broker } from '../broker/port.ts';
import { lookupOpenAttempts } from '../clickhouse/open-attempts-lookup.ts';
import type { InsertBatch, Store } from '../clickhouse/port.ts';
import { encodeDecisions } from '../clickhouse/tables/decisions.ts';
import { encodeLanes } from '../clickhouse/tables/lanes.ts';
import { encodeTerms } from '../clickhouse/tables/terms.ts';
import { readTerms } from '../clickhouse/terms-lookup.ts';
import { RollstreamError } from '../errors.ts';
import type { Recorder } from '../observe/recorder.ts';
import { commitOf, type LaneName, progressOf } from './commit-metadata.ts';
import { lostDecision } from './lost-decision.ts';

export interface LossDeps {
  readonly broker: Broker;
  readonly store: Store;
  readonly log: Logger;
  readonly recorder: Recorder;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** What the log had forgotten of a lane when it was looked at. */
export interface Loss {
  /** Units that were open, and the attempts of them that had started: each has a decision now. */
  readonly units: number;
  readonly attempts: number;
  /** Offsets that nobody had read. */
  readonly records: number;
}

const NAMED = 5;

/**
 * TRUNCATION: before a lane is taken, its watermark is compared with the start of the log. Units that began below it cannot be
 * rebuilt: they are lost, each attempt gets a decision that says so, and the commit goes on without them. Records that nobody has
 * read cannot be named: without `accepted`, an offset that the caller knows they end at, that is refused.
 *
 * Rows, then commit, as in a flush. Dies before its last commit: the next owner finds the same and settles it anew.
 * TWO TERMS, claimed by one commit. The first announces the frontier, so that the rows of a cut that was never committed do not
 * count; under the second the decisions begin to count in the moment in which its lanes row says that they are not open any more.
 * THEIR CAUSE IS THE LAST RECORD BELOW THE FRONTIER: at the frontier it would be the next term that owns them.
 * SETTLING, says the claim; the last commit says it no more. Who finds it lets the term before own less than that cause. Else:
 * 1 A claims terms 2 and 3, frontier 36, U is lost; its insert of U's decision (term 3, @35) is on the way; 2 B fences A, finds U
 * open; 3 the insert arrives; 4 B announces term 4, restored at 36: U is open in its lanes row, and decided @35 by term 3.
 */
export async function settleLoss(deps: LossDeps, name: LaneName, accepted: number | null = null): Promise<Loss | null> {
  const { broker, log, recorder } = deps;
  const { group, topic, partition } = name;
  if ((await broker.committed(group, topic, partition)) !== null && (await lossOf(deps, name)) === null) return null;
  // FENCE, THEN READ: what was read before may be older than what the last owner commits now.
  const producer = await broker.transactional(`${group}.${topic}.${partition}`);
  try {
    const found = await lossOf(deps, name);
    if (found === null) return null;
    const { before, start } = found;
    const records = Math.max(0, start - before.frontier);
    if (records > 0) {
      log.error({ topic, partition, from: before.frontier, to: start, records }, 'records were deleted unread');
      recorder.lost(partition, 0, records);
      if (accepted === null || accepted < start) throw unread(name, before, start);
    }
    const loss = await writeLoss(deps, name, before, start, (progress) => producer.run(commitOf(name, progress)));
    recorder.lost(partition, loss.attempts, 0);
    return { ...loss, records };
  } finally {
    await producer.close();
  }
}

/** The commit and the start of the log where it is above the watermark; null: nothing is missing. */
async function lossOf({ broker, store }: LossDeps, name: LaneName) {
  const { group, topic, partition } = name;
  const commit = await broker.committed(group, topic, partition);
  if (commit === null) {
    await refuseLostCommit(broker, store, name);
    return null;
  }
  const { start }: Bounds = await broker.bounds(topic, partition);
  const before = await progressOf(broker, name, commit);
  return before.watermark < start ? { before, start } : null;
}

/**
 * A lanes row is written after its term was committed: without a commit, Kafka has forgotten it. From scratch, all is decided twice.
 * LOOK AGAIN: 1 A fences, finds no commit, hangs; 2 B fences A, commits the first term, writes its lanes row; 3 A finds that row.
 */
async function refuseLostCommit(broker: Broker, store: Store, name: LaneName): Promise<void> {
  const { group, topic, partition } = name;
  const rows = await store.query<{ term: number }>(
    'SELECT term FROM rollstream.lanes FINAL WHERE topic = {topic:String} AND partition = {partition:Int32}',
    { topic, partition },
  );
  if (rows.length === 0) return;
  if ((await broker.committed(group, topic, partition)) !== null)
    throw new RollstreamError(
      'RS_FENCED',
      `${topic}/${partition} has another owner, which has committed its first term`,
    );
  throw new RollstreamError(
    'RS_COMMIT_LOST',
    `group ${group} has no commit for ${topic}/${partition}, though its lane has worked: the broker has forgotten it (offsets.retention.minutes), or the log is another one`,
    { facts: { group, topic, partition } },
  );
}

function unread({ topic, partition }: LaneName, { frontier }: Progress, start: number): RollstreamError {
  return new RollstreamError(
    'RS_RECORDS_LOST',
    `${topic}/${partition} begins at ${start}, and nobody has read ${frontier} to ${start - 1}: they were deleted. \`rollstream accept-loss ${topic}/${partition}/${start}\` goes on without them`,
    { facts: { topic, partition, frontier, start } },
  );
}

async function writeLoss(
  deps: LossDeps,
  name: LaneName,
  before: Progress,
  start: number,
  commit: (progress: Progress) => Promise<void>,
): Promise<Pick<Loss, 'units' | 'attempts'>> {
  const { broker, store, log, now } = deps;
  const { topic, partition } = name;
  const { frontier, watermark } = before;
  const starts = new Set([...before.starts].filter((offset) => offset >= start));
  const surviving = await keysAt(broker, name, starts, start);
  const announcer = { topic, term: before.term + 1 };
  const owner = { topic, term: before.term + 2 };
  // At 0 nothing was open.
  const cause = Math.max(0, frontier - 1);
  const endOfBefore = before.isSettling === true ? cause : frontier;
  await insertAll(deps, [encodeTerms([{ partition, restored: endOfBefore }], announcer)]);
  await insertAll(deps, [encodeTerms([{ partition, restored: frontier }], owner)]);
  const known = await readTerms(store, topic, partition);
  const open = await lookupOpenAttempts(store, { topic, partition, ...before }, known);
  const lost = open.filter(({ unit }) => !surviving.has(unit));
  const rest = open.filter(({ unit }) => surviving.has(unit));

  await commit({ ...before, term: owner.term, isSettling: true });
  await insertAll(deps, [encodeLanes([{ partition, frontier, watermark, open }], announcer)]);
  const at = { partition, offset: cause, decidedAtMs: now(), inForce: before.inForce };
  const decisions = lost.map((attempt) => lostDecision(attempt, at));
  const after = { frontier: Math.max(frontier, start), watermark: Math.min(Math.max(frontier, start), ...starts) };
  const lanesRow = { partition, ...after, open: rest };
  await insertAll(deps, [encodeDecisions(decisions, owner), encodeLanes([lanesRow], owner)]);
  const units = before.starts.size - starts.size;
  const named = lost.slice(0, NAMED).map(({ unit, rollout_id, attempt }) => ({ unit, rollout_id, attempt }));
  log.error(
    { topic, partition, from: watermark, to: start, units, attempts: lost.length, named },
    'open units are lost: the log has deleted their first records',
  );
  await commit({ ...before, ...after, term: owner.term, starts, isSettling: false });
  return { units, attempts: lost.length };
}

async function insertAll({ store, recorder }: LossDeps, batches: readonly InsertBatch[]): Promise<void> {
  for (const batch of batches) {
    if (batch.rowCount === 0) continue;
    await store.insert(batch);
    recorder.rowsInserted(batch.table, batch.rowCount);
  }
}

/** Units that were opened by these records. A row of `steps` need not tell: an orphan that opened a unit has none yet. */
async function keysAt(broker: Broker, { topic, partition }: LaneName, offsets: ReadonlySet<number>, start: number) {
  const keys = new Set<string>();
  const last = Math.max(-1, ...offsets);
  for (let next = Math.max(start, Math.min(...offsets)); next <= last; ) {
    const records = await broker.read(topic, partition, next, { maxBytes: 1 << 20, maxWaitMs: 1000 });
    for (const { offset, key } of records) if (offsets.has(offset)) keys.add(key?.toString('latin1') ?? '');
    next = (records.at(-1)?.offset ?? last) + 1;
  }
  return keys;
}
