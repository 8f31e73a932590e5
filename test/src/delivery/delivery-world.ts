import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TakeRule } from '../../../processors/model/delivery.ts';
import { unitOf } from '../../../processors/model/unit.ts';
import { type PolicyVersionInit, policyVersionSchema } from '../../../schemas/generated/policy-version.ts';
import { type Segment, type Trajectory, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import type { Store } from '../../../src/clickhouse/port.ts';
import type { DeliverySettings } from '../../../src/config/config.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { type BlobCheck, noBlobs } from '../../../src/delivery/blob-check.ts';
import type { Delivery, LeaseCall, LeasedBatch } from '../../../src/delivery/delivery.ts';
import { type OpenDelivery, openDelivery } from '../../../src/delivery/open-delivery.ts';
import type { Alarm } from '../../../src/delivery/waiting/alarm.ts';
import { sleep } from '../../../src/lanes/sleep.ts';
import { silentRecorder } from '../../../src/observe/recorder.ts';
import { type Codecs, createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { createAnnouncedVersions } from '../../../src/versions/announced-versions.ts';
import { sampleTrajectory } from '../ready/sample-trajectory.ts';

export const topics = topicNames('');
const log = pino({ level: 'silent' });

/** A clock that stands still, and alarms that ring when it is moved past them. */
export interface TestClock {
  nowMs: number;
  readonly alarm: Alarm;
  advance(ms: number): void;
}

export function createTestClock(): TestClock {
  const alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>();
  const clock: TestClock = {
    nowMs: 1_700_000_000_000,
    alarm(afterMs, ring) {
      const one = { atMs: clock.nowMs + afterMs, ring };
      alarms.add(one);
      return () => alarms.delete(one);
    },
    advance(ms) {
      clock.nowMs += ms;
      for (const one of [...alarms]) if (one.atMs <= clock.nowMs && alarms.delete(one)) one.ring();
    },
  };
  return clock;
}

/** A log, a registry and what grants on them; the store is given, since a process has one. */
export interface DeliveryWorld {
  readonly broker: Broker;
  readonly codecs: Codecs;
  readonly clock: TestClock;
  readonly delivery: Delivery;
  rule: TakeRule;
  checkBlobs: BlobCheck;
  /** Appends to ready: a rollout without a group, or as it says. Resolves with their offsets. */
  ready(...trajectories: ReadonlyArray<Partial<Trajectory>>): Promise<number[]>;
  /** As `ready`, by a replay. */
  emit(
    replay: string,
    trajectories: ReadonlyArray<Partial<Trajectory>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<number[]>;
  /** The segment of the sample, sampled by these weights. */
  segmentOf(version: string): Segment;
  /** Resolves when it holds; asked again each turn of the event loop. */
  until(holds: () => Promise<boolean>): Promise<void>;
  /** The run was deleted, with what it had on ready until now; `isHeard`: who grants hears of it, else who grants next. */
  deleted(run: string, isHeard: boolean): Promise<void>;
  announce(version: string, step: number, lineage?: string, run?: string): Promise<void>;
  /** Ends what grants, and begins anew on the same log. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const SETTINGS: DeliverySettings = {
  leaseMs: 60_000,
  maxDeliveries: 3,
  keptCheckpoints: 2,
  unsealedTrajectories: 1_000,
  blobFolder: null,
  blobRetentionMs: 1_000,
};

export async function openWorld(store: Store): Promise<DeliveryWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-delivery-'));
  const clock = createTestClock();
  const broker = await openEmbeddedBroker({ folder, now: () => clock.nowMs });
  await broker.ensureTopics(topicSpecs('', 1));
  const codecs = createCodecs(await openLocalRegistry({ folder }));
  const encode = await codecs.encoderOf<Trajectory>(`${topics.ready}-value`, trajectorySchema);
  const announcement = await codecs.encoderOf<PolicyVersionInit>(`${topics.policyVersions}-value`, policyVersionSchema);

  const gone = new Map<string, number>();
  let heard: () => void = () => undefined;

  const open = async (): Promise<OpenDelivery> => {
    const opened = await openDelivery({
      ...{ broker, store, codecs, topics, log, sleep, settings: SETTINGS, recorder: silentRecorder },
      versions: createAnnouncedVersions({ broker, codecs, log, topic: topics.policyVersions }),
      takeRuleOf: async () => world.rule,
      checkBlobs: (refs) => world.checkBlobs(refs),
      gone: {
        isGone: (run) => gone.has(run),
        below: () => gone,
        onChange: (listener) => {
          heard = listener;
        },
      },
      group: 'delivery',
      url: 'http://127.0.0.1:1',
      alarm: clock.alarm,
      nowMs: () => clock.nowMs,
    });
    await Promise.race([opened.serving, opened.failed]);
    return opened;
  };
  const append = async (
    trajectories: ReadonlyArray<Partial<Trajectory>>,
    more: Readonly<Record<string, string>>,
  ): Promise<number[]> => {
    const records = trajectories.map((over) => {
      const trajectory = sampleTrajectory({ group_id: null, group_size_actual: null, ...over });
      const { run_id: run, group_size_actual: size } = trajectory;
      const headers = { run, ...(size === null ? {} : { size: String(size) }), ...more };
      return { key: unitOf(trajectory), value: encode(trajectory), headers, partition: 0 };
    });
    return (await broker.append(topics.ready, records)).map(({ offset }) => offset);
  };
  let current: OpenDelivery;
  const world: DeliveryWorld = {
    ...{ broker, codecs, clock },
    rule: { maxLag: null, expiresUnknown: false, atTake: 'keep' },
    checkBlobs: noBlobs,
    get delivery() {
      return current.delivery;
    },
    ready: (...trajectories) => append(trajectories, {}),
    emit: (replay, trajectories, headers = {}) => append(trajectories, { replay, ...headers }),
    segmentOf(version) {
      const [segment] = sampleTrajectory().segments;
      if (segment === undefined) throw new Error('the sample has a segment');
      return { ...segment, weight_spans: [{ start: 1, version }] };
    },
    async until(holds) {
      while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
    },
    async deleted(run, isHeard) {
      gone.set(run, (await broker.bounds(topics.ready, 0)).end);
      if (isHeard) heard();
    },
    async announce(version, step, lineage = '', run_id = 'run') {
      const value = announcement({ run_id, lineage, step, version, announced_at: null });
      const [at] = await broker.append(topics.policyVersions, [{ key: run_id, value, partition: 0 }]);
      await current.announcedTo((at?.offset ?? 0) + 1);
    },
    async restart() {
      await current.close();
      current = await open();
    },
    async close() {
      await current.close();
      await broker.close();
      await rm(folder, { recursive: true });
    },
  };
  current = await open();
  return world;
}

const never = new AbortController().signal;

/** A lease of up to `most` units that waits for nothing it need not. */
export function lease(
  world: DeliveryWorld,
  over: Partial<LeaseCall> = {},
  signal: AbortSignal = never,
): Promise<LeasedBatch | null> {
  const call: LeaseCall = {
    ...{ run: 'run', lineage: null, consumer: 'trainer', key: null, unit: 'group', dp: 0, rank: 0 },
    ...{ most: 1, least: 1, tokens: null, microTokens: null, leaseMs: null, waitMs: 60_000 },
    ...over,
  };
  return world.delivery.lease(call, signal);
}

export function ack(world: DeliveryWorld, batch: LeasedBatch | null, step: number, version: string | null = null) {
  return world.delivery.ack(batch?.lease ?? 'none', { lineage: null, step, version, match: null });
}

export function offsetsOf(batch: LeasedBatch | null): number[] | null {
  return batch === null ? null : batch.entries.map(({ offset }) => offset);
}
