import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import type { Broker } from '../../src/broker/port.ts';
import { readAccounting } from '../../src/clickhouse/accounting.ts';
import { laneGroup, topicNames, topicSpecs } from '../../src/config/topics.ts';
import type { LaneSettings } from '../../src/lanes/lane-settings.ts';
import { settleLoss } from '../../src/lanes/settle-loss.ts';
import { startLanes } from '../../src/lanes/start-lanes.ts';
import { silentRecorder } from '../../src/observe/recorder.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../src/registry/local/open-local-registry.ts';
import type { Registry } from '../../src/registry/port.ts';
import { type TemporaryStore, temporaryStore } from '../src/clickhouse/temporary-store.ts';

/** Kafka deletes records by their age, whoever still needs them. */

const prefix = `lost-${randomUUID()}.`;
const topics = topicNames(prefix);
const hour = 3_600_000;
const settings: LaneSettings = {
  partitions: 1,
  topicPrefix: prefix,
  deadlines: { gapMs: hour, orphanMs: hour, verdictMs: hour, idleMs: hour, groupMs: hour, lifetimeMs: 24 * hour },
  reorderEvents: 256,
  flush: { intervalMs: 100, maxBytes: 1 << 20, maxRows: 1000 },
  inFlightBytes: 1 << 24,
};
const admin = new Kafka({ brokers: [inject('services').kafka], logLevel: logLevel.NOTHING }).admin();
let folder: string;
let broker: Broker;
let registry: Registry;
let temporary: TemporaryStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-lost-'));
  await admin.connect();
  broker = await openKafkaBroker({ brokers: [inject('services').kafka] });
  await broker.ensureTopics(topicSpecs(prefix, 1));
  registry = await openLocalRegistry({ folder });
  temporary = await temporaryStore();
});
afterAll(async () => {
  await broker.close();
  await admin.disconnect();
  await temporary.remove();
  await rm(folder, { recursive: true });
});

const deps = () => ({
  ...{ broker, registry, store: temporary.store, log: pino({ level: 'silent' }), recorder: silentRecorder },
  now: Date.now,
});
const books = async () => (await readAccounting(temporary.store)).runs[0];

async function begin(...rollouts: readonly string[]): Promise<void> {
  const encode = await createCodecs(registry).encoderOf<StepEventInit>(`${topics.steps}-value`, stepEventSchema);
  const records = rollouts.map((rollout_id) => {
    const identity = { run_id: 'run', epoch: 0, group_id: null, rollout_id };
    const source = { env_name: 'env', task_id: 't', producer_id: 'p', source: { format: 'test' } };
    const value = encode({ ...identity, ...source, event_id: rollout_id, kind: 'start', seq: 0, start: {} });
    return { key: unitOf(identity), value, partition: 0 };
  });
  await broker.append(topics.steps, records);
}

async function deleteBelow(offset: number): Promise<void> {
  await admin.fetchTopicOffsets(topics.steps); // or it does not know the leader
  await admin.deleteTopicRecords({ topic: topics.steps, partitions: [{ partition: 0, offset: `${offset}` }] });
}

async function work(): Promise<void> {
  const lanes = await startLanes(deps(), settings);
  await lanes.restored();
  await lanes.drained();
  await lanes.close();
}

it('open units that it deleted are lost by name; what nobody had read stops the lane until it is accepted', async () => {
  await begin('a', 'b', 'c');
  await work();
  await deleteBelow(1);
  await work();
  expect(await books()).toMatchObject({ started: 3, open: 2, lost: 1, balanced: true });

  await begin('unread', 'd');
  const { end } = await broker.bounds(topics.steps, 0);
  await deleteBelow(end - 1);
  const refusal = { code: 'RS_RECORDS_LOST', message: expect.stringContaining(`${topics.steps}/0/${end - 1}`) };
  const refused = await startLanes(deps(), settings);
  await expect(refused.failed).rejects.toMatchObject(refusal);
  await expect(refused.close()).rejects.toMatchObject(refusal);

  const name = { group: laneGroup(prefix), topic: topics.steps, partition: 0, stateTopic: topics.state };
  expect(await settleLoss(deps(), name, end - 1)).toMatchObject({ units: 2, attempts: 2, records: 1 });
  await work();
  expect(await books()).toMatchObject({ started: 4, open: 1, lost: 3, balanced: true });
});
