import type { Logger } from 'pino';
import { noReadyStates, READY_STATES } from '../../processors/model/delivery.ts';
import { type TrajectoryInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { Broker, Lane, Membership } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import type { DeliverySettings } from '../config/config.ts';
import type { TopicNames } from '../config/topics.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { DeliveryQueue } from '../observe/metrics.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Codecs, Encode } from '../registry/codecs.ts';
import type { AnnouncedVersions } from '../versions/announced-versions.ts';
import { type BlobCheck, noBlobs } from './blob-check.ts';
import { createLocalDelivery } from './create-local-delivery.ts';
import type { Delivery } from './delivery.ts';
import { createForwardRequest, type ForwardRequest } from './forward/forward-request.ts';
import { createOwnerUrl } from './forward/owner-url.ts';
import { type GoneRuns, NO_GONE_RUNS } from './gone-runs.ts';
import { createLeaseLog } from './log/lease-log.ts';
import { createNumberedVersions } from './numbered-versions.ts';
import { createLookAtPayloads } from './ready/look-at-payloads.ts';
import { createLoadPayloads } from './ready/payloads.ts';
import { createReadRecords } from './ready/read-records.ts';
import { createRecordCache } from './ready/record-cache.ts';
import { createStoredRecord } from './ready/stored-record.ts';
import { openSession, type Session, type SessionDeps } from './session.ts';
import { startingError } from './session-errors.ts';
import type { TakeRuleOf } from './take-rule.ts';
import { type Alarm, alarm as machineAlarm } from './waiting/alarm.ts';

export interface DeliveryDeps {
  readonly broker: Broker;
  readonly store: Store;
  readonly codecs: Codecs;
  readonly versions: AnnouncedVersions;
  readonly takeRuleOf: TakeRuleOf;
  readonly topics: TopicNames;
  /** Of the one that grants. */
  readonly group: string;
  readonly settings: DeliverySettings;
  /** Where other servers reach this one; null: nowhere, and it never grants. */
  readonly url: string | null;
  readonly checkBlobs?: BlobCheck;
  /** Absent: no run is ever deleted. */
  readonly gone?: GoneRuns;
  readonly log: Logger;
  readonly recorder: Recorder;
  readonly sleep: Sleep;
  readonly alarm?: Alarm;
  /** ms since the epoch. */
  readonly nowMs: () => number;
}

export interface OpenDelivery {
  readonly delivery: Delivery;
  /** What was announced below this offset of policy.versions counts from here on, where this process grants. */
  announcedTo(position: number): Promise<void>;
  /** Over all runs; null: this process does not grant. */
  queue(): DeliveryQueue | null;
  /** For those servers that do not grant. */
  readonly forward: ForwardRequest;
  /** Resolves when this process grants for the first time. */
  readonly serving: Promise<void>;
  /** Rejects when it can never grant again. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

const CACHE_BYTES = 64 * 2 ** 20;
/** Offsets of ready that one round of chunks covers: what a takeover reads again is less than this. */
const CHUNK_ENTRIES = 1_000;
/** Who was fenced and still has the lane looks again after so long. */
const FENCED_WAIT_MS = 500;

/** Joins the group of those that may grant; who has the lane does, until it loses it. */
export async function openDelivery(deps: DeliveryDeps): Promise<OpenDelivery> {
  const { broker, store, codecs, versions, topics, settings, log, nowMs, sleep } = deps;
  const cache = createRecordCache(CACHE_BYTES);
  let encoder: Promise<Encode<TrajectoryInit>> | null = null;
  const encode = (): Promise<Encode<TrajectoryInit>> => {
    encoder ??= codecs.encoderOf<TrajectoryInit>(`${topics.ready}-value`, trajectorySchema);
    return encoder;
  };
  const storedRecord = createStoredRecord({ store, encode });
  const loadPayloads = createLoadPayloads({ broker, storedRecord, cache, topic: topics.ready });
  const readRecords = createReadRecords(codecs);
  const lookAtPayloads = createLookAtPayloads({
    ...{ loadPayloads, readRecords, checkBlobs: deps.checkBlobs ?? noBlobs, storedRecord, cache },
  });
  const stopping = new AbortController();
  const shared: SessionDeps = {
    ...{ broker, store, versions, readRecords, lookAtPayloads, cache, log, sleep, nowMs, recorder: deps.recorder },
    leases: createLeaseLog(broker, topics.leases),
    numbered: createNumberedVersions(versions),
    settings: {
      url: deps.url ?? '',
      maxDeliveries: settings.maxDeliveries,
      keptCheckpoints: settings.keptCheckpoints,
      unsealedTrajectories: settings.unsealedTrajectories,
      chunkEntries: CHUNK_ENTRIES,
    },
    readyTopic: topics.ready,
    gone: deps.gone ?? NO_GONE_RUNS,
    alarm: deps.alarm ?? machineAlarm,
  };
  let current: Session | null = null;
  let served: () => void = () => undefined;
  const serving = new Promise<void>((resolve) => {
    served = resolve;
  });

  const grantWhileHeld = async (lane: Lane): Promise<void> => {
    while (!lane.revoked.aborted && !stopping.signal.aborted) {
      if (lane.isHeld()) {
        const session = openSession(shared, lane, stopping.signal);
        session.serving.then(() => {
          current = session;
          log.info('leases are granted here');
          served();
        });
        await session.ended.finally(() => {
          if (current === session) current = null;
        });
      }
      if (!lane.revoked.aborted) await sleep(FENCED_WAIT_MS, stopping.signal);
    }
  };

  const running = new Set<Promise<void>>();
  const join = (): Promise<Membership> =>
    broker.join(deps.group, topics.ready, async (lane) => {
      const work = grantWhileHeld(lane);
      running.add(work);
      await work.finally(() => running.delete(work));
    });
  const membership = deps.url === null ? null : await join();
  const failed = new Promise<never>((_, reject) => membership?.done.catch(reject));
  failed.catch(() => undefined);

  return {
    delivery: createLocalDelivery({
      session() {
        if (current === null) throw startingError();
        return current;
      },
      ...{ takeRuleOf: deps.takeRuleOf, lookAtPayloads, leaseMs: settings.leaseMs, nowMs },
      isAnnounced: (run) => versions.named(run).size > 0,
    }),
    announcedTo: async (position) => current?.announcedTo(position),
    queue: () => (current === null ? null : queueOf(current)),
    forward: createForwardRequest({
      isOwner: () => current !== null,
      ownerUrl: createOwnerUrl(broker, topics.leases),
      ownUrl: deps.url ?? '',
      log,
    }),
    serving,
    failed,
    async close() {
      stopping.abort();
      await Promise.allSettled(running);
      await membership?.leave();
      await membership?.done;
    },
  };
}

function queueOf({ dispatcher, rooms }: Session): DeliveryQueue {
  const states = noReadyStates();
  for (const run of dispatcher.state.runs.values()) {
    const ofRun = run.states();
    for (const state of READY_STATES) states[state] += ofRun[state];
  }
  return { waiting: rooms.runs().reduce((sum, run) => sum + rooms.waiting(run), 0), states };
}
