import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import { openTopicAdmin, type TopicAdmin } from '../../src/broker/kafka/topic-admin.ts';
import type { WantedTopic } from '../../src/broker/kafka/topic-plan.ts';

let admin: TopicAdmin;
beforeAll(async () => {
  admin = await openTopicAdmin({ brokers: [inject('services').kafka] });
});
afterAll(() => admin.close());

function wanted(changes: Partial<WantedTopic> = {}): WantedTopic {
  return {
    name: `plan-${randomUUID()}`,
    partitions: 3,
    compacted: false,
    retentionMs: 1_000_000_000,
    takesAnyCount: false,
    replicationFactor: 1,
    ...changes,
  };
}

async function actionOn(topic: WantedTopic): Promise<string | undefined> {
  return (await admin.plan([topic]))[0]?.action;
}

it('what was planned and applied is kept by the next plan', async () => {
  const topics = [wanted(), wanted({ compacted: true }), wanted({ retentionMs: 'forever' })];
  const plan = await admin.plan(topics);
  expect(plan.map(({ action }) => action)).toEqual(['create', 'create', 'create']);
  await admin.apply(plan);
  expect((await admin.plan(topics)).map(({ action }) => action)).toEqual(['keep', 'keep', 'keep']);
});

it('a setting is changed, and those that nobody named stay as they are', async () => {
  const topic = wanted();
  await admin.apply(await admin.plan([topic]));
  const longer = { ...topic, retentionMs: 2_000_000_000 };
  expect(await actionOn(longer)).toBe('change');
  await admin.apply(await admin.plan([longer]));
  // LogAppendTime and the others would be back at their defaults had the change replaced all settings.
  expect(await actionOn(longer)).toBe('keep');
});

it('another number of partitions is refused', async () => {
  const topic = wanted();
  await admin.apply(await admin.plan([topic]));
  expect(await actionOn({ ...topic, partitions: 4 })).toBe('refuse');
  expect(await actionOn({ ...topic, partitions: 4, takesAnyCount: true })).toBe('keep');
});

it('a topic that was compacted is changed while it is empty, and refused once it has records', async () => {
  const compacted = wanted({ compacted: true, partitions: 1 });
  await admin.apply(await admin.plan([compacted]));
  const kept = { ...compacted, compacted: false };
  expect(await actionOn(kept)).toBe('change');
  const broker = await openKafkaBroker({ brokers: [inject('services').kafka] });
  await broker.append(compacted.name, [{ key: 'k', value: Buffer.from('v') }]);
  await broker.close();
  expect(await actionOn(kept)).toBe('refuse');
});

it('two that create the same topic at the same moment both succeed', async () => {
  const topic = wanted();
  const plan = await admin.plan([topic]);
  await Promise.all([admin.apply(plan), admin.apply(plan)]);
  expect(await actionOn(topic)).toBe('keep');
});

it('what a broker creates by itself is as it is planned', async () => {
  const broker = await openKafkaBroker({ brokers: [inject('services').kafka] });
  const { retentionMs, takesAnyCount, replicationFactor, ...spec } = wanted();
  await broker.ensureTopics([{ ...spec, keptForever: true }]);
  await broker.close();
  expect(await actionOn({ ...spec, takesAnyCount, replicationFactor, retentionMs: 'forever' })).toBe('keep');
});

it('tells how long the commits of a group without members are kept', async () => {
  // Kafka's own default: a week.
  expect(await admin.offsetsRetentionMs()).toBe(604_800_000);
});
