import type { Logger } from 'pino';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Broker } from '../../broker/port.ts';
import type { Store } from '../../clickhouse/port.ts';
import type { TopicNames } from '../../config/topics.ts';
import { RollstreamError } from '../../errors.ts';
import type { LaneSettings } from '../../lanes/lane-settings.ts';
import { createEncodeRecords } from '../../lanes/out-records.ts';
import { createRetryOutage, isOutage } from '../../lanes/retry-outage.ts';
import type { Sleep } from '../../lanes/sleep.ts';
import { createConfiguredPolicy } from '../../policies/configured-policy.ts';
import type { Codecs } from '../../registry/codecs.ts';
import type { EmitRequest } from '../replay-request.ts';
import type { EmittedCounts } from '../replays.ts';
import { refuseClosedGate } from './closed-gate.ts';
import { cutBatches, type EmitBatch } from './cut-batches.ts';
import { type EmitProgress, progressAfter } from './emit-progress.ts';
import { emitTopicOf } from './emit-topic.ts';
import { createEmittedRows } from './emitted-rows.ts';
import { createJudgeUnits } from './judge-units.ts';
import { type PlannedRun, readPlan, readPlannedRuns } from './read-plan.ts';
import { readRunsOnTopic } from './runs-on-topic.ts';
import { createLookAtAges } from './stale-units.ts';
import { takeRun } from './take-run.ts';
import { createUnitRecords } from './unit-records.ts';

/** Most of it is the program itself (src/app.ts). */
export interface EmitReplayDeps {
  readonly broker: Pick<Broker, 'transactional' | 'committed' | 'bounds' | 'read' | 'partitionsOf'>;
  readonly store: Pick<Store, 'query' | 'insert'>;
  /** null: nothing that is too large for a record can be emitted. */
  readonly blobs: BlobStore | null;
  readonly codecs: Codecs;
  readonly topics: TopicNames;
  /** Consumer group of the lanes. */
  readonly group: string;
  readonly settings: LaneSettings;
  readonly log: Logger;
  readonly sleep: Sleep;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Record bytes of one transaction, about; a single unit may have more. Absent: 8 MB. */
  readonly batchBytes?: number;
}

export interface EmitArgs {
  /** Its decisions and trajectories are in the store, all of them. */
  readonly replayId: string;
  readonly emit: EmitRequest;
  /** What it is compared with: the live decisions (''), or an earlier replay. */
  readonly against: string;
  /** Aborted: it ends with RS_INTERRUPTED behind the last whole transaction; asked again it goes on there. */
  readonly signal: AbortSignal;
  /** Nobody has begun to emit it: what it has to be decided by was not there yet. */
  readonly isFirst: boolean;
  /** Trajectories so far, those of earlier tries included. */
  readonly onProgress: (emitted: number) => void;
}

export type EmitReplay = (args: EmitArgs) => Promise<EmittedCounts>;

/** Units that are planned together: each look goes through all rows that the replay has. */
const BLOCK_UNITS = 10_000;

/**
 * Units that a saved replay keeps → the ready topic or another: each whole and once, as a lane writes them, run by run in the order in
 * which they were decided. How far it is, is committed with the records.
 *
 * | dies                        | found after the restart                                                        |
 * |-----------------------------|--------------------------------------------------------------------------------|
 * | among the blobs             | blobs that nothing names yet, and that are written again, the same bytes       |
 * | in the transaction          | all of it or none of it                                                        |
 * | before its rows, among them | the commit names the units: their rows are written again                       |
 *
 * TRANSACTION, THEN ROWS. The other way round the books would count what never came. FENCE, THEN READ: a run has one emitter at a
 * time; what the one before was writing is in the commit, or never will be, and it ends with RS_FENCED.
 */
export function createEmitReplay(deps: EmitReplayDeps): EmitReplay {
  const { broker, codecs, topics, log, sleep, now } = deps;
  const policyNow = createConfiguredPolicy(deps.store, deps.settings);

  return async function emitReplay({ replayId, emit, against, signal, isFirst, onProgress }) {
    const outage = createRetryOutage({ log, sleep, ended: signal });
    const query: Store['query'] = (sql, params) =>
      outage('reading what a replay made', () => deps.store.query(sql, params));
    const insert: Store['insert'] = (batch) => outage('writing what a replay emitted', () => deps.store.insert(batch));
    const store = { query, insert };
    const { topic, isReady, placed } = await outage('looking for a topic', () => emitTopicOf(broker, topics, emit));
    const rows = createEmittedRows({ store, now, replayId, topic });
    const headers = { replay: replayId, ...(emit.again ? { again: '1' } : {}) };
    const encodeRecords = await outage('registering a schema', () =>
      createEncodeRecords(codecs, { ...topics, ready: topic }, deps.blobs !== null, headers),
    );
    const unitRecords = createUnitRecords({ store, blobs: deps.blobs, encodeRecords, outage });
    const lookAtAges = createLookAtAges({ broker, store, codecs, log, topic: topics.policyVersions });
    const judgeUnits = createJudgeUnits({ store, blobs: deps.blobs, lookAtAges });
    let looked: Promise<ReadonlySet<string>> | null = null;
    const onTopic = (): Promise<ReadonlySet<string>> => {
      looked ??= isFirst
        ? Promise.resolve(new Set())
        : outage('looking for what was emitted', () => readRunsOnTopic({ broker, store, replayId, topic }));
      return looked;
    };
    const refuseGate = (run: PlannedRun): Promise<void> =>
      isReady ? refuseClosedGate(store, policyNow, run) : Promise.resolve();

    const emitRun = async (run: PlannedRun, told: (emitted: number) => void): Promise<EmitProgress> => {
      const { producer, commitOf, ...taken } = await takeRun({ ...deps, outage, rows, replayId, topic, run, onTopic });
      let { progress } = taken;
      const emitBatch = async (batch: EmitBatch): Promise<void> => {
        refuseInterrupted(signal);
        if (batch.emitted.length > 0) await refuseGate(run);
        const records = (await unitRecords(replayId, batch.emitted)).map(placed);
        const next = progressAfter(progress, batch);
        await outage('emitting a replay', () => producer.run({ records, commit: commitOf(next) }));
        await rows.write(batch.emitted);
        progress = next;
        told(progress.trajectories);
      };
      try {
        told(progress.trajectories);
        while (progress.position < run.to) {
          await refuseGate(run);
          const most = Math.min(BLOCK_UNITS, run.to - progress.position);
          const block = await readPlan(store, { replayId, position: progress.position, most });
          if (block.length < most) throw new Error(`bug: replay ${replayId} has fewer units than it had`);
          const judged = judgeUnits(block, { replayId, against, emit, topic, isReady });
          for await (const batch of cutBatches(judged, deps.batchBytes)) await emitBatch(batch);
        }
        return progress;
      } finally {
        await producer.close().catch((error: unknown) => log.warn({ err: error }, 'closing a producer'));
      }
    };

    const done: EmitProgress[] = [];
    let before = 0;
    let closed: RollstreamError | null = null;
    for (const run of await readPlannedRuns(store, replayId)) {
      refuseInterrupted(signal);
      try {
        const progress = await emitRun(run, (emitted) => onProgress(before + emitted));
        done.push(progress);
        before += progress.trajectories;
      } catch (error) {
        if (signal.aborted && isOutage(error)) refuseInterrupted(signal, error);
        if (!(error instanceof RollstreamError && error.code === 'RS_GATE_CLOSED')) throw error;
        // Other runs have other trainers: they need not wait for it.
        closed ??= error;
      }
    }
    if (closed !== null) throw closed;
    const counts = countsOf(topic, done);
    log.info({ replay: replayId, ...counts }, 'a replay is emitted');
    return counts;
  };
}

function countsOf(topic: string, runs: readonly EmitProgress[]): EmittedCounts {
  const left_out: Record<string, number> = {};
  for (const { leftOut } of runs)
    for (const [reason, n] of Object.entries(leftOut)) left_out[reason] = (left_out[reason] ?? 0) + n;
  const units = runs.reduce((sum, run) => sum + run.units, 0);
  return { topic, units, trajectories: runs.reduce((sum, run) => sum + run.trajectories, 0), left_out };
}

function refuseInterrupted(signal: AbortSignal, cause?: unknown): void {
  if (!signal.aborted) return;
  throw new RollstreamError('RS_INTERRUPTED', 'interrupted: what is emitted stays, and it can go on', { cause });
}
