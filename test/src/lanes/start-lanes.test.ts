import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unitOf } from '../../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import type { Store } from '../../../src/clickhouse/port.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { RollstreamError } from '../../../src/errors.ts';
import type { LaneSettings } from '../../../src/lanes/lane-settings.ts';
import type { Lanes } from '../../../src/lanes/lanes.ts';
import { startLanes } from '../../../src/lanes/start-lanes.ts';
import { silentRecorder } from '../../../src/observe/recorder.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import type { Registry } from '../../../src/registry/port.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

const topics = topicNames('');
/** Flushes only when it is asked to, or ends. */
const settings: LaneSettings = {
  partitions: 2,
  topicPrefix: '',
  deadlines: {
    gapMs: 30_000,
    orphanMs: 30_000,
    verdictMs: 600_000,
    idleMs: 900_000,
    groupMs: 3_600_000,
    lifetimeMs: 86_400_000,
  },
  reorderEvents: 256,
  flush: { intervalMs: 3_600_000, maxBytes: 1 << 30, maxRows: 1e9 },
  inFlightBytes: 1 << 30,
};

let folder: string;
let broker: Broker;
let registry: Registry;
let temporary: TemporaryStore;
/** What the store answers to an insert into a table; null: nothing is wrong with it. */
let outage: ((table: string) => RollstreamError | null) | null;
let refused: () => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-lanes-'));
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  await broker.ensureTopics(topicSpecs('', settings.partitions));
  registry = await openLocalRegistry({ folder });
  temporary = await temporaryStore();
  outage = null;
  refused = () => undefined;
});
afterEach(async () => {
  await broker.close();
  await temporary.remove();
  await rm(folder, { recursive: true });
});

/** The real store, when it is not down. */
function failingStore(): Store {
  const { store } = temporary;
  return {
    ...store,
    query: (sql, params) => store.query(sql, params),
    async insert(batch) {
      const error = outage?.(batch.table) ?? null;
      if (error === null) return store.insert(batch);
      refused();
      throw error;
    },
  };
}

function lanesWith(over: Partial<LaneSettings> = {}): Promise<Lanes> {
  const deps = {
    broker,
    registry,
    store: failingStore(),
    log: pino({ level: 'silent' }),
    recorder: silentRecorder,
    now: Date.now,
  };
  return startLanes(deps, { ...settings, ...over });
}

/** Whole rollouts without a group, one a name. */
async function send(...rollouts: readonly string[]): Promise<void> {
  const encode = await createCodecs(registry).encoderOf<StepEventInit>(`${topics.steps}-value`, stepEventSchema);
  for (const rollout of rollouts) {
    const of = {
      run_id: 'run',
      env_name: 'env',
      task_id: 't',
      rollout_id: rollout,
      producer_id: 'p',
      source: { format: 'test' },
    };
    const ids = Buffer.from([1, 0, 0, 0]);
    const call = { call_id: 'c', prompt_delta_ids: ids, completion_ids: ids };
    const events: StepEventInit[] = [
      { ...of, kind: 'start', seq: 0, event_id: `${rollout} 0`, start: {} },
      { ...of, kind: 'model_call', seq: 1, event_id: `${rollout} 1`, model_call: call },
      {
        ...of,
        kind: 'end',
        seq: 2,
        event_id: `${rollout} 2`,
        end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] },
      },
      {
        ...of,
        kind: 'verdict',
        event_id: `${rollout} v`,
        verdict: { scorer: 's', status: 'scored', rewards: { r: 1 } },
      },
    ];
    const key = unitOf({ run_id: 'run', epoch: 0, group_id: null, rollout_id: rollout });
    await broker.append(
      topics.steps,
      events.map((event) => ({ key, value: encode(event) })),
    );
  }
}

const ready = async () => (await broker.read(topics.ready, 0, 0, { maxBytes: 1e9, maxWaitMs: 0 })).length;
/** Everything that was sent is read; nothing is flushed. */
async function untilRead(lanes: Lanes, records: number): Promise<void> {
  while (lanes.status().reduce((sum, { position }) => sum + position, 0) < records)
    await new Promise((resolve) => setImmediate(resolve));
}
const down = (table: string) => new RollstreamError('RS_STORE_UNREACHABLE', `${table} is down`);

test('closing flushes and commits what was read', async () => {
  await send('a', 'b', 'c');
  const lanes = await lanesWith();
  await untilRead(lanes, 12);
  expect(await ready()).toBe(0);
  await lanes.close();
  expect(await ready()).toBe(3);
});

test('closing while the store is down ends all the same, and the next start loses and repeats nothing', async () => {
  await send('a', 'b', 'c');
  const lanes = await lanesWith({ flush: { ...settings.flush, maxRows: 1 } });
  outage = down;
  await new Promise<void>((resolve) => {
    refused = resolve;
  });
  await lanes.close();
  expect(await ready()).toBe(0);
  outage = null;
  const next = await lanesWith();
  await next.drained();
  await next.close();
  expect(await ready()).toBe(3);
});

test('a store that comes back lets the lanes go on where they were', async () => {
  await send('a', 'b');
  let refusals = 0;
  outage = (table) => (table !== 'documents' && refusals++ < 3 ? down(table) : null);
  const lanes = await lanesWith();
  await lanes.drained();
  expect(await ready()).toBe(2);
  expect(refusals).toBeGreaterThan(3);
  await lanes.close();
});

test('what a lane fails with is what `failed`, drained() and close() say', async () => {
  await send('a');
  outage = (table) => (table === 'decisions' ? new RollstreamError('RS_STORE_REFUSED', 'no such table') : null);
  const lanes = await lanesWith();
  await expect(lanes.drained()).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
  await expect(lanes.failed).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
  await expect(lanes.close()).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
  expect(await ready()).toBe(0);
});

test('a lane that another member takes over ends without a flush, and its bytes are given back', async () => {
  await send('a', 'b', 'c', 'd');
  const lanes = await lanesWith();
  await untilRead(lanes, 16);
  const other = await lanesWith();
  await Promise.all([lanes.drained(), other.drained()]);
  expect(await ready()).toBe(4);
  await lanes.close();
  await other.close();
});

test('a budget smaller than what begins a flush is no deadlock', async () => {
  await send('a', 'b', 'c', 'd');
  const lanes = await lanesWith({ inFlightBytes: 1 });
  // Nobody asks for a flush, and none is due for an hour.
  while ((await ready()) < 4) await new Promise((resolve) => setImmediate(resolve));
  await lanes.close();
  expect(await ready()).toBe(4);
});
