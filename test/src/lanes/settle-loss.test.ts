import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unitOf } from '../../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { readAccounting } from '../../../src/clickhouse/accounting.ts';
import type { InsertBatch, Store } from '../../../src/clickhouse/port.ts';
import { laneGroup, topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { RollstreamError } from '../../../src/errors.ts';
import type { LaneSettings } from '../../../src/lanes/lane-settings.ts';
import type { Lanes } from '../../../src/lanes/lanes.ts';
import { settleLoss } from '../../../src/lanes/settle-loss.ts';
import { startLanes } from '../../../src/lanes/start-lanes.ts';
import { silentRecorder } from '../../../src/observe/recorder.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import type { Registry } from '../../../src/registry/port.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

const topics = topicNames('');
const settings: LaneSettings = {
  partitions: 1,
  topicPrefix: '',
  deadlines: {
    gapMs: 3_600_000,
    orphanMs: 3_600_000,
    verdictMs: 3_600_000,
    idleMs: 3_600_000,
    groupMs: 3_600_000,
    lifetimeMs: 86_400_000,
  },
  reorderEvents: 256,
  flush: { intervalMs: 3_600_000, maxBytes: 1 << 30, maxRows: 1e9 },
  inFlightBytes: 1 << 30,
};
const name = { group: laneGroup(''), topic: topics.steps, partition: 0, stateTopic: topics.state };

let folder: string;
let log: Broker;
let registry: Registry;
let temporary: TemporaryStore;
/** The embedded log keeps everything; here what is below is gone, as on Kafka after its retention. */
let logStart: number;
let broker: Broker;
let lost: Array<readonly [attempts: number, records: number]>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-loss-'));
  log = await openEmbeddedBroker({ folder, now: Date.now });
  await log.ensureTopics(topicSpecs('', 1));
  registry = await openLocalRegistry({ folder });
  temporary = await temporaryStore();
  logStart = 0;
  lost = [];
  broker = {
    ...log,
    async bounds(topic, partition) {
      const bounds = await log.bounds(topic, partition);
      return topic === topics.steps ? { ...bounds, start: logStart } : bounds;
    },
    async read(topic, partition, offset, limits) {
      if (topic === topics.steps && offset < logStart) throw new RollstreamError('RS_OFFSET_OUT_OF_RANGE', 'deleted');
      return log.read(topic, partition, offset, limits);
    },
  };
});
afterEach(async () => {
  await log.close();
  await temporary.remove();
  await rm(folder, { recursive: true });
});

function deps() {
  return {
    broker,
    registry,
    store: temporary.store,
    log: pino({ level: 'silent' }),
    recorder: {
      ...silentRecorder,
      lost(_partition: number, attempts: number, records: number) {
        lost.push([attempts, records]);
      },
    },
    now: Date.now,
  };
}

async function work(during: (lanes: Lanes) => Promise<void> = async () => undefined): Promise<void> {
  const lanes = await startLanes(deps(), settings);
  await lanes.drained();
  await during(lanes);
  await lanes.drained();
  await lanes.close();
}

type Sent = Omit<StepEventInit, 'run_id' | 'env_name' | 'task_id' | 'producer_id' | 'source' | 'event_id'>;
const ids = Buffer.from([1, 0, 0, 0]);

/** At the offsets that follow. */
async function send(...events: readonly Sent[]): Promise<void> {
  const encode = await createCodecs(registry).encoderOf<StepEventInit>(`${topics.steps}-value`, stepEventSchema);
  for (const one of events) {
    const event = {
      ...{ run_id: 'run', env_name: 'env', task_id: 't', producer_id: 'p', source: { format: 'test' } },
      event_id: `${one.rollout_id} ${one.kind} ${one.seq}`,
      ...one,
    };
    const key = unitOf({ epoch: 0, group_id: null, ...event });
    await log.append(topics.steps, [{ key, value: encode(event), partition: 0 }]);
  }
}
const start = (rollout_id: string, group?: string): Sent => ({
  ...{ rollout_id, kind: 'start', seq: 0, start: {}, group_id: group ?? null },
});
const call = (rollout_id: string, group?: string): Sent => ({
  ...{ rollout_id, kind: 'model_call', seq: 1, group_id: group ?? null },
  model_call: { call_id: 'c', prompt_delta_ids: ids, completion_ids: ids },
});
const ended = (rollout_id: string): Sent[] => [
  { rollout_id, kind: 'end', seq: 2, end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] } },
  { rollout_id, kind: 'verdict', verdict: { scorer: 's', status: 'scored', rewards: { r: 1 } } },
];

const books = async () => (await readAccounting(temporary.store)).runs[0];
const decided = () =>
  temporary.store.query(
    'SELECT rollout_id, disposition, reason_code FROM rollstream.live_decisions ORDER BY rollout_id',
  );

test('a log that still holds every open unit has lost nothing', async () => {
  await send(start('a'), call('a'));
  await work();
  expect(await settleLoss(deps(), name)).toBeNull();
  expect(lost).toEqual([]);
});

test('a unit whose first record was deleted is lost, named and counted; the others go on', async () => {
  await send(start('lost'), call('lost'), start('kept'), call('kept'));
  await work();
  expect(await books()).toMatchObject({ started: 2, open: 2, balanced: true });
  logStart = 1;
  await work(async () => {
    expect(await books()).toMatchObject({ started: 2, open: 1, lost: 1, balanced: true });
    await send(...ended('lost'), ...ended('kept'));
  });
  expect(await books()).toMatchObject({ started: 2, ready: 1, open: 0, lost: 1, rejected: {}, balanced: true });
  expect(await decided()).toEqual([
    { rollout_id: 'kept', disposition: 'train', reason_code: 'task_complete' },
    { rollout_id: 'lost', disposition: 'drop', reason_code: 'lost' },
  ]);
  expect(lost).toEqual([[1, 0]]);
  // Once: a second restart finds nothing.
  await work();
  expect(lost).toEqual([[1, 0]]);
  expect((await log.bounds(topics.ready, 0)).end).toBe(1);
});

test('the books balance at every moment, too, when decisions of an owner that hung while it settled come late', async () => {
  await send(start('lost'), call('lost'), start('kept'), call('kept'));
  await work();
  logStart = 1;
  const { store } = temporary;
  let arrives: (batch: InsertBatch) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const sent = new Promise<InsertBatch>((resolve) => {
    arrives = resolve;
  });
  const hangs = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const hanging: Store['insert'] = (batch) => {
    if (batch.table !== 'decisions') return store.insert(batch);
    arrives(batch);
    return hangs;
  };
  const first = settleLoss({ ...deps(), store: { ...store, insert: hanging } }, name);
  const late = await sent;

  const seen: unknown[] = [];
  const insert: Store['insert'] = async (batch) => {
    // Its successor has looked what is open, and is about to say it.
    if (batch.table === 'lanes' && seen.length === 0) await store.insert(late);
    await store.insert(batch);
    if (batch.table === 'lanes' || seen.length > 0) seen.push(await books());
  };
  expect(await settleLoss({ ...deps(), store: { ...store, insert } }, name)).toEqual({
    units: 1,
    attempts: 1,
    records: 0,
  });
  expect(seen).toMatchObject([
    { started: 2, open: 2, lost: 0, balanced: true },
    { started: 2, open: 2, lost: 0, balanced: true },
    { started: 2, open: 1, lost: 1, balanced: true },
  ]);
  fail(new RollstreamError('RS_STORE_UNREACHABLE', 'the insert was not answered'));
  await expect(first).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE' });
  await work();
  expect(await books()).toMatchObject({ started: 2, open: 1, lost: 1, balanced: true });
});

test('a unit that an orphan opened is lost with its started member, which the log still holds', async () => {
  await send(call('orphan', 'g'), start('member', 'g'), start('other'));
  await work();
  logStart = 1;
  await work();
  expect(await decided()).toEqual([{ rollout_id: 'member', disposition: 'drop', reason_code: 'lost' }]);
  expect(await books()).toMatchObject({ started: 2, open: 1, lost: 1, balanced: true });
});

test('records that nobody has read are not passed over until somebody accepts it', async () => {
  await send(start('open'));
  await work();
  await send(call('open'), start('unread'), start('later'), call('later'), ...ended('later'));
  logStart = 3;
  const refusal = {
    code: 'RS_RECORDS_LOST',
    message: expect.stringContaining('rollstream accept-loss rollout.steps/0/3'),
  };
  const lanes = await startLanes(deps(), settings);
  await expect(lanes.failed).rejects.toMatchObject(refusal);
  await expect(lanes.close()).rejects.toMatchObject(refusal);
  // What was accepted does not cover what was deleted since.
  await expect(settleLoss(deps(), name, 2)).rejects.toMatchObject(refusal);
  expect(await decided()).toEqual([]);

  expect(await settleLoss(deps(), name, 3)).toEqual({ units: 1, attempts: 1, records: 2 });
  await work();
  expect(await decided()).toMatchObject([
    { rollout_id: 'later', disposition: 'train' },
    { rollout_id: 'open', reason_code: 'lost' },
  ]);
  expect(await books()).toMatchObject({ started: 2, ready: 1, lost: 1, open: 0, balanced: true });
});

test('a group whose commit was forgotten does not begin again, where it would decide everything twice', async () => {
  await send(start('a'), call('a'), ...ended('a'));
  await work();
  broker = { ...broker, committed: async () => null };
  const lanes = await startLanes(deps(), settings);
  const refusal = { code: 'RS_COMMIT_LOST', message: expect.stringContaining('offsets.retention.minutes') };
  await expect(lanes.failed).rejects.toMatchObject(refusal);
  await expect(lanes.close()).rejects.toMatchObject(refusal);
});

test('a commit that another owner has made meanwhile was not forgotten: that one has the lane', async () => {
  await send(start('a'), call('a'), ...ended('a'));
  await work();
  let asked = 0;
  // It was asked twice before the other one had committed anything.
  const committed: Broker['committed'] = async (...lane) => (asked++ < 2 ? null : log.committed(...lane));
  broker = { ...broker, committed };
  await expect(settleLoss(deps(), name)).rejects.toMatchObject({ code: 'RS_FENCED' });
});
