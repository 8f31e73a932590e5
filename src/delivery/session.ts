import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Dispatcher } from '../../processors/delivery/dispatcher.ts';
import { Fenced } from '../../processors/delivery/fenced.ts';
import type { LeaseRecord, ReadyEntry } from '../../processors/model/delivery.ts';
import type { DispatcherSettings, Task } from '../../processors/model/delivery-effects.ts';
import type { Broker, Lane } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import { createRetryOutage } from '../lanes/retry-outage.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { AnnouncedVersions } from '../versions/announced-versions.ts';
import type { LeasedBatch } from './delivery.ts';
import { createInheritedNames, type InheritedNames } from './inherited-names.ts';
import type { LeaseLog } from './log/lease-log.ts';
import type { NumberedVersions } from './numbered-versions.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import { createPerform } from './perform-effects.ts';
import type { LookAtPayloads } from './ready/look-at-payloads.ts';
import type { ReadRecords } from './ready/read-records.ts';
import type { RecordCache } from './ready/record-cache.ts';
import { tailReady } from './ready/tail-ready.ts';
import { createRowBatcher } from './rows/row-batcher.ts';
import { createRowsOfRecord, type EntryOf } from './rows/rows-of-record.ts';
import { createRunRooms, type RunRooms } from './run-rooms.ts';
import { isOutOfHere, startingError } from './session-errors.ts';
import type { Alarm } from './waiting/alarm.ts';

export interface SessionDeps {
  readonly broker: Pick<Broker, 'bounds'>;
  readonly store: Pick<Store, 'insert'>;
  readonly leases: LeaseLog;
  readonly versions: Pick<AnnouncedVersions, 'readOn' | 'position'>;
  readonly numbered: NumberedVersions;
  readonly readRecords: ReadRecords;
  readonly lookAtPayloads: LookAtPayloads;
  readonly cache: RecordCache;
  readonly settings: Omit<DispatcherSettings, 'name'>;
  readonly readyTopic: string;
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
  readonly inherited: InheritedNames;
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
/** Between what makes a run worth folding and the look at it. */
const FOLD_MS = 1_000;

export function openSession(deps: SessionDeps, lane: Lane, stopping: AbortSignal): Session {
  const { broker, versions, log, sleep, alarm, nowMs, recorder } = deps;
  const over = new AbortController();
  const end = (): void => over.abort();
  const signals = [lane.revoked, stopping];
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  if (signals.some(({ aborted }) => aborted)) end();

  const outage = createRetryOutage({ log, sleep, ended: over.signal });
  // Rows of what was answered are inserted also after the lane is gone.
  const rowsOutage = createRetryOutage({ log, sleep, ended: stopping });
  const rows = createRowBatcher({ store: deps.store, outage: rowsOutage, alarm, inserted: recorder.rowsInserted });
  const rowsOf = createRowsOfRecord();
  const inherited = createInheritedNames();
  const turn = createOneAtATime();
  let payloads: ReadonlyMap<number, Buffer> = new Map();
  /** Records that takeOver read: their rows wait until all entries are known. null: it has caught up. */
  let early: Array<readonly [LeaseRecord, EntryOf]> | null = [];
  let touched = new Set<string>();
  let isFoldRung = false;

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
    ...{ outage, sleep, nowMs, log, ended: over.signal },
  });
  const rooms = createRunRooms<{ readonly found: Found | null }>({
    ...{ alarm, nowMs },
    nextDeadlineMs: (run) => dispatcher.nextDeadlineMs(run),
    givenUp: () => new RollstreamError('RS_INTERRUPTED', 'nobody waits for this batch any more: ask the same again'),
  });

  dispatcher.onApplied = (record, entryOf) => {
    inherited.note(record);
    if (early !== null) early.push([record, entryOf]);
    else rows.add(rowsOf(record, entryOf));
    if ('run' in record) touched.add(record.run);
    if (isFoldRung) return;
    isFoldRung = true;
    alarm(FOLD_MS, () => {
      isFoldRung = false;
      if (!over.signal.aborted) void foldSpent();
    });
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

  /** A run is folded once its rows are inserted: what is final is in no record afterwards. */
  const foldSpent = async (): Promise<void> => {
    try {
      for (const run of dispatcher.foldable())
        await inTurn(async (performing) => {
          await rows.flushed();
          await performing(dispatcher.fold(run));
        });
    } catch (error) {
      // The next record that counts rings again.
      log.warn({ err: error }, 'spent records of ready.leases are not folded');
    }
  };

  const arrived = async (entries: readonly ReadyEntry[], position: number): Promise<void> => {
    await inTurn(async (performing) => {
      for (const { run } of entries) touched.add(run);
      if (entries.length > 0) dispatcher.arrived(entries, position);
      await outage('indexing ready', () => performing(dispatcher.index()));
    });
  };

  let serve: () => void = () => undefined;
  const serving = new Promise<void>((resolve) => {
    serve = resolve;
  });

  const caughtUp = (): void => {
    for (const [record, entryOf] of early ?? []) rows.add(rowsOf(record, entryOf));
    early = null;
    serve();
  };

  const followVersions = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const before = versions.position();
      await Promise.race([ending, outage('reading policy.versions', () => versions.readOn(VERSIONS_WAIT_MS))]);
      if (versions.position() !== before) for (const run of rooms.runs()) rooms.changed(run);
    }
  };

  const ending = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve(), { once: true }));

  const work = async (): Promise<void> => {
    await outage('reading policy.versions', () => versions.readOn(0));
    await inTurn((performing) => performing(dispatcher.takeOver()));
    const target = await outage('asking for the end of ready', () => broker.bounds(deps.readyTopic, 0));
    const from = dispatcher.readFrom;
    if (from >= target.end) caughtUp();
    const tail = tailReady(
      { lane, start: async () => target.start, readRecords: deps.readRecords, cache: deps.cache, outage, log },
      from,
      async (entries, position) => {
        await arrived(entries, position);
        if (early !== null && (position >= target.end || entries.length === 0)) caughtUp();
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
    ...{ dispatcher, rooms, inherited, inTurn, serving },
    payloads: () => payloads,
    async announcedTo(position) {
      while (versions.position() < position && !over.signal.aborted)
        await Promise.race([ending, outage('reading policy.versions', () => versions.readOn(VERSIONS_WAIT_MS))]);
    },
    ended: run(),
  };
}
