import { createHash } from 'node:crypto';
import { encodePart } from '../../../processors/model/unit.ts';
import type { Broker, Transaction, TransactionalProducer } from '../../broker/port.ts';
import type { TopicNames } from '../../config/topics.ts';
import { RollstreamError } from '../../errors.ts';
import type { RetryOutage } from '../../lanes/retry-outage.ts';
import { decodeEmitProgress, type EmitProgress, encodeEmitProgress } from './emit-progress.ts';
import type { EmittedRows } from './emitted-rows.ts';
import type { PlannedRun } from './read-plan.ts';

export interface TakeRun {
  readonly broker: Pick<Broker, 'transactional' | 'committed'>;
  readonly topics: TopicNames;
  /** Consumer group of the lanes. */
  readonly group: string;
  readonly outage: RetryOutage;
  readonly rows: EmittedRows;
  readonly replayId: string;
  /** Topic that it is emitted to. */
  readonly topic: string;
  readonly run: PlannedRun;
  /** Runs of which the topic has records of the replay already; asked where nothing else says so. */
  readonly onTopic: () => Promise<ReadonlySet<string>>;
}

export interface TakenRun {
  readonly producer: TransactionalProducer;
  readonly progress: EmitProgress;
  readonly commitOf: (progress: EmitProgress) => NonNullable<Transaction['commit']>;
}

/**
 * FENCE, THEN READ. A run has one emitter at a time, of whatever replay: what the one before was writing is in the commit, or never will
 * be. What it wrote and may have died before it had booked is booked now.
 */
export async function takeRun(of: TakeRun): Promise<TakenRun> {
  const { broker, topics, group, outage, rows, replayId, topic, run, onTopic } = of;
  const name = shortName(run.runId);
  const at = { group: `${group}.replay.${replayId}.${name}`, topic: topics.steps, partition: 0 };

  const read = async (): Promise<EmitProgress> => {
    // First: of whoever takes over meanwhile the rows come behind a commit that was not there yet.
    const hasRows = await rows.hasAny(run);
    const readCommit = () => outage('reading a commit', () => broker.committed(at.group, at.topic, at.partition));
    // What the topic has, and no commit told of, another may have written meanwhile: then there is one now.
    const commit = (await readCommit()) ?? ((await onTopic()).has(run.runId) ? await readCommit() : null);
    if (commit === null) {
      // Kafka forgets the commits of a group that is not used (offsets.retention.minutes). Of the last transaction nobody knows then.
      if (hasRows || (await onTopic()).has(run.runId)) throw commitLost(replayId, at.group);
      return { position: run.from, topic, last: [], units: 0, trajectories: 0, leftOut: {} };
    }
    const progress = decodeEmitProgress(commit.metadata, commit.offset);
    if (progress === null)
      throw new RollstreamError('RS_DATA_VERSION', `the commit of ${at.group} was not written by this version`);
    if (progress.topic !== topic) throw alreadyElsewhere(replayId, progress.topic, topic);
    return progress;
  };

  const producer = await outage('taking a transactional id', () =>
    broker.transactional(`${group}.replay-emit.${name}`),
  );
  try {
    const progress = await read();
    await rows.writeAgain(progress.last);
    const commitOf = (next: EmitProgress) => ({ ...at, offset: next.position, metadata: encodeEmitProgress(next) });
    return { producer, progress, commitOf };
  } catch (error) {
    await producer.close().catch(() => undefined);
    throw error;
  }
}

/** Bounded: an id of any length is part of a transactional id, of 249 bytes at most. */
function shortName(runId: string): string {
  const name = encodePart(runId);
  return name.length <= 64 ? name : createHash('sha256').update(name).digest('hex');
}

function commitLost(replayId: string, group: string): RollstreamError {
  return new RollstreamError(
    'RS_COMMIT_LOST',
    `replay ${replayId} has emitted something, and its commit (${group}) is gone: replay again, so that nothing is emitted twice`,
    { facts: { replay: replayId } },
  );
}

function alreadyElsewhere(replayId: string, before: string, topic: string): RollstreamError {
  return new RollstreamError(
    'RS_USAGE',
    `emit.topic: replay ${replayId} was begun to be emitted to ${before}: to emit to ${topic} as well, replay again`,
    { facts: { field: 'emit.topic' } },
  );
}
