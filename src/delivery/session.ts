import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Dispatcher } from '../../processors/delivery/dispatcher.ts';
import { Fenced } from '../../processors/delivery/fenced.ts';
import type { ReadyEntry } from '../../processors/model/delivery.ts';
import type { DispatcherSettings, Task } from '../../processors/model/delivery-effects.ts';
import type { Broker, Lane } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import { createRetryOutage } from '../lanes/retry-outage.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import type { AnnouncedVersions } from '../versions/announced-versions.ts';
import { createCountRecords } from './count-records.ts';
import type { LeasedBatch } from './delivery.ts';
import type { GoneRuns } from './gone-runs.ts';
import { createLastLooks, type LastLooks } from './last-looks.ts';
import type { LeaseLog } from './log/lease-log.ts';
import type { NumberedVersions } from './numbered-versions.ts';
import { createPerform } from './perform-effects.ts';
import type { LookAtPayloads } from './ready/look-at-payloads.ts';
import type { ReadRecords } from './ready/read-records.ts';
import type { RecordCache } from './ready/record-cache.ts';
import { tailReady } from './ready/tail-ready.ts';
import { createFollowRecords } from './rows/follow-records.ts';
import { createGrantsByLease } from './rows/grants-by-lease.ts';
import { createLookBack } from './rows/look-back.ts';
import { createRowBatcher } from './rows/row-batcher.ts';
import { createRunRooms, type RunRooms } from './run-rooms.ts';
import { isOutOfHere, startingError } from './session-errors.ts';
import { createTidyRuns } from './tidy-runs.ts';
import type { Alarm } from './waiting/alarm.ts';

export interface SessionDeps {
  readonly broker: Pick<Broker, 'bounds'>;
  readonly store: Pick<Store, 'insert' | 'query'>;
  readonly leases: LeaseLog;
  readonly versions: Pick<AnnouncedVersions, 'readOn' | 'position'>;
  readonly numbered: NumberedVersions;
  readonly readRecords: ReadRecords;
  readonly lookAtPayloads: LookAtPayloads;
  readonly cache: RecordCache;
  readonly settings: Omit<DispatcherSettings, 'name'>;
  readonly readyTopic: string;
  readonly gone: GoneRuns;
  readonly log: Logger;
  readonly recorder: Recorder;
  readonly sleep: Sleep;
  readonly alarm: Alarm;
  /** ms since the epoch. */
  readonly nowMs: () => number;
}

/** What a request that waits is answered; null: not enough, "again" was written. */
export type Found = Omit<LeasedBatch, 'records'> & { readonly payloads: ReadonlyMap<number, Buffer> };

/** This process grants, from the moment at which it got the lane until it loses it. */
export interface Session {
  readonly dispatcher: Dispatcher;
  readonly rooms: RunRooms<{ readonly found: Found | null }>;
  readonly lastLooks: LastLooks;
  /** Payloads that were looked at by the task before, in the same turn. */
  payloads(): ReadonlyMap<number, Buffer>;
  /** In its turn: RS_STARTING once it may not go on. */
  inTurn<T>(work: (perform: <R>(task: Task<R>) => Promise<R>) => Promise<T>): Promise<T>;
  /** Resolves when it knows what policy.versions holds below this offset. */
  announcedTo(position: number): Promise<void>;
  /** Resolves when it answers requests. */
  readonly serving: Promise<void>;
  /** Resolves when it ended, its rows inserted; rejects when it can never go on. */
  readonly ended: Promise<void>;
}

const VERSIONS_WAIT_MS = 2_000;

export function openSession(deps: SessionDeps, lane: Lane, stopping: AbortSignal): Session {
  const { broker, versions, log, sleep, alarm, nowMs, recorder, gone } = deps;
  const over = new AbortController();
  const end = (): void => over.abort();
  const signals = [lane.revoked, stopping];
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  if (signals.some(({ aborted }) => aborted)) end();

  const outage = createRetryOutage({ log, sleep, ended: over.signal });
  // Once the lane is gone what is left is inserted in one try: a revocation must not wait for the store, and whoever takes over
  // inserts the rows of all that is not final.
  const rows = createRowBatcher({ store: deps.store, outage, alarm, gone, inserted: recorder.rowsInserted });
  const grants = createGrantsByLease();
  const follow = createFollowRecords(rows, grants);
  const count = createCountRecords(recorder, grants);
  const turn = createOneAtATime();
  let payloads: ReadonlyMap<number, Buffer> = new Map();
  let touched = new Set<string>();
  let isEarly = true;

  const dispatcher = new Dispatcher(
    { ...deps.settings, name: randomBytes(6).toString('hex') },
    {
      nowMs,
      isHeld: () => lane.isHeld() && !over.signal.aborted,
      sessionMs: lane.sessionMs,
      assignedAtMs: nowMs(),
      announced: deps.numbered,
    },
  );
  const perform = createPerform({
    leases: deps.leases,
    async unreadable(entries) {
      const looked = await deps.lookAtPayloads(entries);
      payloads = looked.payloads;
      return looked.unreadable;
    },
    lookBack: createLookBack(deps.store),
    ...{ outage, sleep, nowMs, log, ended: over.signal },
  });
  const rooms = createRunRooms<{ readonly found: Found | null }>({
    ...{ alarm, nowMs },
    nextDeadlineMs: (run) => dispatcher.nextDeadlineMs(run),
    givenUp: () => new RollstreamError('RS_INTERRUPTED', 'nobody waits for this batch any more: ask the same again'),
  });

  dispatcher.onApplied = (record, entryOf) => {
    if (!isEarly) count(record, entryOf);
    follow.applied(record, entryOf);
    if (!('run' in record)) return;
    touched.add(record.run);
    if (record.kind === 'rewind') tidy.suspect(record.run);
    else tidy.soon();
  };

  const settle = (): void => {
    const moved = touched;
    touched = new Set();
    for (const run of moved) {
      rooms.changed(run);
      rooms.leasesMoved(run);
    }
  };

  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);

  const inTurn: Session['inTurn'] = async (work) => {
    await rows.room();
    return turn(async () => {
      if (over.signal.aborted) throw startingError();
      try {
        return await work(perform);
      } catch (error) {
        if (error instanceof Fenced) {
          end();
          throw startingError();
        }
        if (!isOutOfHere(error)) fail(error);
        throw error;
      } finally {
        payloads = new Map();
        settle();
      }
    });
  };

  const tidy = createTidyRuns({ dispatcher, rows, inTurn, alarm, log, over: over.signal, nowMs });
  const hasLeft = (run: string): boolean => (dispatcher.state.runs.get(run)?.cuts.size ?? 0) > 0;

  const arrived = async (entries: readonly ReadyEntry[], position: number): Promise<void> => {
    await inTurn(async (performing) => {
      for (const { run } of entries) {
        touched.add(run);
        if (hasLeft(run)) tidy.suspect(run);
      }
      if (entries.length > 0) dispatcher.arrived(entries, position);
      await outage('indexing ready', () => performing(dispatcher.index()));
    });
    await forgetGone();
  };

  const forgetGone = async (): Promise<void> => {
    for (const [run, below] of gone.below())
      if (dispatcher.position >= below && !dispatcher.isForgotten(run, below)) {
        // Whoever removes its rows waits for the record: none of them may come behind it.
        await rows.flushed();
        await inTurn(async (performing) => {
          await performing(dispatcher.forget(run, below));
          touched.add(run);
        });
      }
  };

  gone.onChange(() => {
    if (over.signal.aborted) return;
    for (const run of rooms.runs()) rooms.changed(run);
    if (!isEarly)
      forgetGone().catch((error: unknown) => log.warn({ err: error }, 'a deleted run is not forgotten yet'));
  });

  let serve: () => void = () => undefined;
  const serving = new Promise<void>((resolve) => {
    serve = resolve;
  });

  const caughtUp = (): void => {
    isEarly = false;
    follow.caughtUp();
    serve();
  };

  const followVersions = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const before = versions.position();
      await Promise.race([ending, outage('reading policy.versions', () => versions.readOn(VERSIONS_WAIT_MS))]);
      if (versions.position() === before) continue;
      for (const run of rooms.runs()) rooms.changed(run);
      for (const run of dispatcher.state.runs.keys()) if (hasLeft(run)) tidy.suspect(run);
    }
  };

  const ending = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true }));

  const work = async (): Promise<void> => {
    await outage('reading policy.versions', () => versions.readOn(0));
    await inTurn((performing) => performing(dispatcher.takeOver()));
    const target = await outage('asking for the end of ready', () => broker.bounds(deps.readyTopic, 0));
    const from = dispatcher.readFrom;
    if (from >= target.end) {
      await forgetGone();
      caughtUp();
    }
    const tail = tailReady(
      { lane, start: async () => target.start, readRecords: deps.readRecords, cache: deps.cache, outage, log },
      from,
      async (entries, position) => {
        await arrived(entries, position);
        if (isEarly && (position >= target.end || entries.length === 0)) caughtUp();
      },
    );
    await Promise.race([Promise.all([tail, followVersions()]), ending]);
  };

  const run = async (): Promise<void> => {
    try {
      await Promise.race([work(), failed, rows.failed]);
    } catch (error) {
      if (!over.signal.aborted) throw error;
    } finally {
      end();
      for (const signal of signals) signal.removeEventListener('abort', end);
      rooms.empty(startingError());
      await Promise.race([rows.flushed(), rows.failed]).catch((error: unknown) =>
        log.error({ err: error }, 'rows of deliveries are missing until somebody takes over'),
      );
    }
  };

  return {
    ...{ dispatcher, rooms, inTurn, serving },
    lastLooks: createLastLooks(inTurn, (run, requests) => dispatcher.lastLooks(run, requests)),
    payloads: () => payloads,
    async announcedTo(position) {
      while (versions.position() < position && !over.signal.aborted)
        await Promise.race([ending, outage('reading policy.versions', () => versions.readOn(VERSIONS_WAIT_MS))]);
    },
    ended: run(),
  };
}
