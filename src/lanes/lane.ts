import type { Logger } from 'pino';
import { endRebuild } from '../../processors/assemble/open-unit.ts';
import { createStreamAudits } from '../../processors/audit/stream-audits.ts';
import { createDeadlines } from '../../processors/control/deadlines.ts';
import { createLaneClock } from '../../processors/control/lane-clock.ts';
import { openAttemptsOf, takeCut, takeEffects } from '../../processors/cut/cut.ts';
import { checkLane } from '../../processors/cut/invariants.ts';
import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { createPipeline } from '../../processors/pipeline.ts';
import type { StepEvent } from '../../schemas/generated/step-event.ts';
import { partitionOf } from '../broker/partition-of.ts';
import type { Broker, Lane, LogRecord } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeLanes } from '../clickhouse/tables/lanes.ts';
import type { DeepAuditor } from '../deep-audits/deep-auditor.ts';
import { RollstreamError } from '../errors.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Codecs, Decode } from '../registry/codecs.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { LaneName } from './commit-metadata.ts';
import type { ControlWriter } from './control-writer.ts';
import type { DocumentShelf } from './documents.ts';
import { createFlush } from './flush.ts';
import { createFlushPace } from './flush-pace.ts';
import { createLaneDeepAudits } from './lane-deep-audits.ts';
import type { LaneSettings } from './lane-settings.ts';
import type { LaneSpace } from './lane-space.ts';
import type { LaneStatus } from './lanes.ts';
import type { EncodeRecords } from './out-records.ts';
import { createOutbox } from './outbox.ts';
import { pastDecisions } from './past-decisions.ts';
import { restoreLane } from './restore.ts';
import { createRetryOutage, isOutage } from './retry-outage.ts';
import type { Sleep } from './sleep.ts';

export interface LaneDeps {
  readonly broker: Broker;
  readonly store: Store;
  readonly space: LaneSpace;
  readonly codecs: Codecs;
  readonly decodeEvent: Decode<StepEvent>;
  readonly documents: DocumentShelf;
  readonly encodeRecords: EncodeRecords;
  readonly control: ControlWriter;
  readonly auditor: DeepAuditor;
  readonly budget: ByteBudget;
  readonly recorder: Recorder;
  readonly log: Logger;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly settings: LaneSettings;
  readonly ending: () => ReadonlySet<string>;
  /** All that is read is flushed and the lane ends. */
  readonly stopped: AbortSignal;
}

/** One query a read looks up what was decided: a small read would make it the larger part of the work. */
const READ_BYTES = 1 << 22;

/** One partition's worker: reads, folds, asks for cuts. Reading goes on while one flush is in flight. */
export function createLane(deps: LaneDeps, lane: Lane, name: LaneName) {
  const { broker, store, codecs, documents, budget, recorder, settings, log, stopped } = deps;
  const { topic, partition } = name;
  const status = { partition, restored: false, frontier: 0, position: 0, logEnd: 0, openUnits: 0, openAttempts: 0 };
  /** Absent until the lane is taken. */
  let oldest: Pick<LaneStatus, 'watermark' | 'oldestOpenAtMs'> = {};
  const ended = AbortSignal.any([stopped, lane.revoked]);
  const outage = createRetryOutage({ log, sleep: deps.sleep, ended });
  let gone = false;
  let settle: () => void = () => undefined;
  /** It decides, by the documents that are configured; or it never will. */
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let wanted = -1;
  let waiters: Array<{ readonly offset: number; readonly resolve: () => void }> = [];
  const work = async (): Promise<void> => {
    const began = performance.now();
    const restored = await outage('restoring a lane', () =>
      restoreLane({ broker, store, configured: documents.configured }, name),
    );
    const { state, term, producer } = restored;
    await outage('reading documents', () => documents.load(state.inForce));
    const partitions = await outage('reading the topic', () => broker.partitionsOf(topic));
    const deep = createLaneDeepAudits(deps.auditor, settings.audits?.sampledShare ?? 0);
    const pipeline = createPipeline({
      state,
      decodeEvent: deps.decodeEvent,
      partitionOfKey: (key) => partitionOf(key, partitions),
      documents,
      audits: createStreamAudits({ template: deep.standIn, reencode: deep.standIn }),
      awaited: deep.begin,
      limits: { reorderEvents: settings.reorderEvents },
      fits: deps.space.fits,
    });
    const deadlines = createDeadlines(state, settings.deadlines, { ...pipeline, ending: deps.ending });
    const clock = createLaneClock();
    const outbox = createOutbox({ topic, term }, deps.encodeRecords);
    const flush = createFlush({ name, term, store, blobs: deps.space.blobs, producer, outbox, recorder, outage });
    const pace = createFlushPace(settings.flush, deps.now);
    let position = restored.position;
    let frontier = state.restored;
    let inserted = frontier;
    let inFlight: Promise<void> | null = null;
    let flushFailure: { readonly error: unknown } | null = null;

    const publish = () => {
      Object.assign(status, { frontier, position, openUnits: state.units.size, openAttempts: state.openAttempts });
      // Units stand in the order in which they were opened.
      const [unit] = state.units.values();
      oldest = { watermark: unit?.start ?? position, oldestOpenAtMs: unit?.openedAtMs ?? null };
      const done = waiters.filter(({ offset }) => frontier >= offset);
      waiters = waiters.filter(({ offset }) => frontier < offset);
      for (const { resolve } of done) resolve();
    };

    const startFlush = () => {
      const cut = takeCut(state, term, position);
      const bytes = pace.taken();
      const flushBegan = performance.now();
      inFlight = flush(cut)
        .then(() => {
          inserted = frontier = cut.progress.frontier;
          recorder.flushed(partition, (performance.now() - flushBegan) / 1000);
          publish();
        })
        .catch((error: unknown) => {
          flushFailure = { error };
        })
        .finally(() => {
          inFlight = null;
          budget.give(bytes);
        });
    };

    /**
     * NO CUT WHILE REBUILDING. 1 restart, frontier 25, watermark 5; 2 a cut at 9 commits frontier 9: effects @9..24 again.
     * NONE AFTER A FAILED FLUSH. 1 the transaction of the cut at 18 fails; 2 the next cut commits 21: what was in the first is lost.
     */
    const mayCut = () =>
      inFlight === null && flushFailure === null && position > frontier && position >= state.restored;

    const isFlushDue = () => mayCut() && (wanted >= position || wanted > frontier || pace.isDue());

    const endOfRebuild = async () => {
      endRebuild(state);
      const broken = checkLane(state, state.restored);
      if (broken !== null) throw new Error(`lane ${topic}/${partition} was rebuilt wrongly: ${broken}`);
      // ANNOUNCE: the new term's lanes row before any other row of it. 1 term 1 inserts up to 20, dies before its transaction;
      // 2 term 2, from 10, inserts @12 over term 1's row, dies: counted below term 1's 20.
      const row = { partition, frontier: state.restored, watermark: restored.position, open: openAttemptsOf(state) };
      await outage('insert into lanes', () => store.insert(encodeLanes([row], { topic, term })));
      status.restored = true;
      publish();
      recorder.restored(partition, (performance.now() - began) / 1000);
      log.debug({ partition, term, from: restored.position, frontier: state.restored }, 'lane restored');
      const { policy_id, taxonomy_id } = state.inForce;
      if (policy_id !== documents.configured.policy_id || taxonomy_id !== documents.configured.taxonomy_id)
        await outage('writing the policy', () => deps.control.policy(partition, documents.configured));
      settle();
    };

    /** Returns the bytes of the batch. */
    const fold = async (records: readonly LogRecord[]) => {
      const ids = new Set<number>();
      let bytes = 0;
      for (const { value, headers } of records) {
        bytes += value?.length ?? 0;
        const id = value === null ? null : schemaIdOf(value);
        if (typeof id === 'number') ids.add(id);
        if (headers.policy_id !== undefined && headers.taxonomy_id !== undefined) {
          const named = { policy_id: headers.policy_id, taxonomy_id: headers.taxonomy_id };
          await outage('reading documents', () => documents.load(named));
        }
      }
      await outage('reading schemas', () => codecs.prepare(ids));
      // What the query of this batch can see: decisions below it were inserted before it was asked.
      const seen = inserted;
      const found = await outage('looking up decisions', () => pastDecisions(store, restored, records));
      await pipeline.foldWaiting({ records, found });
      const effects = takeEffects(state);
      outbox.add(effects, deep.deferred(effects));
      // FORGET WHAT THE QUERY SAW, and after its batch. 1 query: U undecided, its flush is in flight; 2 the flush commits, `recent`
      // is emptied; 3 the batch folds a repeat of U: it opens again.
      for (const [unit, past] of state.recent) {
        const young = past.filter((decision) => decision.offset >= seen);
        if (young.length === 0) state.recent.delete(unit);
        else if (young.length < past.length) state.recent.set(unit, young);
      }
      recorder.recordsRead(partition, records.length, bytes);
      const last = records.at(-1);
      if (last !== undefined) {
        position = last.offset + 1;
        clock.recordRead(last.timestampMs);
      }
      // What a rebuild reads again is open state, not in flight: no flush would ever give its bytes back.
      if (position > state.restored) {
        pace.read(bytes, records.length);
        budget.take(bytes);
      }
      deadlines.watchOpened(state.opened.splice(0));
      return bytes;
    };

    const readOn = async () => {
      while (position >= state.restored && budget.isFull() && flushFailure === null && !ended.aborted) {
        // If nobody flushed, nobody would give bytes back.
        if (mayCut()) startFlush();
        await (inFlight ?? budget.free(ended));
      }
      const limits = { maxBytes: READ_BYTES, maxWaitMs: wanted > frontier ? 0 : pace.readWaitMs(inFlight !== null) };
      const read = await outage('reading the log', () => lane.read(position, limits));
      const rebuilding = position < state.restored;
      const records = rebuilding ? read.filter((record) => record.offset < state.restored) : read;
      const bytes = records.length > 0 ? await fold(records) : 0;
      if (records.length === 0 && rebuilding && read.length > 0) position = state.restored;
      if (rebuilding && position >= state.restored) await endOfRebuild();
      if (read.length === 0) {
        clock.caughtUp(deps.now());
        if (wanted > frontier && inFlight !== null) await inFlight;
      }
      status.logEnd = Math.max(status.logEnd, position);
      if (position >= state.restored) {
        const due = deadlines.due(clock.now());
        if (due.length > 0) await outage('writing deadlines', () => deps.control.deadlines(partition, due));
      }
      if (isFlushDue()) startFlush();
      else if (pace.isOverfull()) await inFlight;
      publish();
      const pauseMs = rebuilding || wanted > frontier ? 0 : pace.pauseMs(bytes);
      if (pauseMs > 0) await deps.sleep(pauseMs, ended);
    };

    const throwFailure = () => {
      if (flushFailure !== null) throw (flushFailure as { error: unknown }).error;
    };

    publish();
    try {
      if (position >= state.restored) await endOfRebuild();
      for (; !ended.aborted; throwFailure()) await readOn();
      await inFlight;
      throwFailure();
      if (mayCut() && !lane.revoked.aborted) startFlush();
    } finally {
      await inFlight;
      // What was read and not flushed is read again by whoever has the lane next.
      budget.give(pace.bytes());
      await producer.close().catch((error: unknown) => log.warn({ partition, err: error }, 'closing a producer'));
    }
    throwFailure();
  };

  /** A lane that is taken away or told to stop while its services are down ends all the same: nothing it had is lost. */
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const isFenced = error instanceof RollstreamError && error.code === 'RS_FENCED';
      if (!(ended.aborted && isOutage(error)) && !(lane.revoked.aborted && isFenced)) throw error;
      log.warn({ partition, err: error }, 'ended without its last flush');
    }
    gone = true;
    settle();
    for (const { resolve } of waiters.splice(0)) resolve();
  };

  return {
    run,
    restored: settled,
    status: (): LaneStatus => ({ ...status, ...oldest }),
    /** Resolves when all below `offset` is committed, flushing at once to get there, or when the lane is not ours any more. */
    drained(offset: number): Promise<void> {
      if (gone || (status.restored && status.frontier >= offset)) return Promise.resolve();
      wanted = Math.max(wanted, offset);
      return new Promise((resolve) => waiters.push({ offset, resolve }));
    },
  };
}
