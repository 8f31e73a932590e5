import { randomUUID } from 'node:crypto';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { KafkaOptions } from '../../src/broker/kafka/kafka-options.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import type { Broker, LogRecord } from '../../src/broker/port.ts';
import { RollstreamError } from '../../src/errors.ts';

/** What Kafka has and the embedded log has not: settings, retention, foreign producers, permissions. */

const foreign = new Kafka({ brokers: [inject('services').kafka], logLevel: logLevel.NOTHING });
const admin = foreign.admin();
let broker: Broker;
let topic: string;

beforeAll(async () => {
  await admin.connect();
  broker = await openKafkaBroker({ brokers: [inject('services').kafka] });
});
beforeEach(() => {
  topic = `topics-${randomUUID()}`;
});
afterAll(async () => {
  await broker.close();
  await admin.disconnect();
});

const limits = { maxBytes: 1e6, maxWaitMs: 10_000 };
const record = (text: string) => ({ key: null, value: Buffer.from(text) });
const values = (records: readonly LogRecord[]) => records.map(({ value }) => value?.toString());

describe('settings', () => {
  const created = (name: string, value: string) =>
    admin.createTopics({
      topics: [{ topic, numPartitions: 1, configEntries: [{ name, value }] }],
      waitForLeaders: true,
    });

  it('topics are created with those the lanes rely on', async () => {
    await broker.ensureTopics([{ name: topic, partitions: 2, compacted: true }]);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic }],
    });
    const entries = new Map(
      resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
    );
    expect(entries.get('message.timestamp.type')).toBe('LogAppendTime');
    expect(entries.get('compression.type')).toBe('uncompressed');
    expect(entries.get('max.message.bytes')).toBe('8388608');
    expect(entries.get('cleanup.policy')).toBe('compact');
  });

  it.each([
    ['cleanup.policy', 'compact', 'delete'],
    ['compression.type', 'zstd', 'uncompressed'],
    ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
  ])('%s=%s is refused, naming what is needed', async (name, value, needed) => {
    await created(name, value);
    await expect(broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }])).rejects.toMatchObject({
      code: 'RS_CONFIG',
      message: expect.stringContaining(`${name}=${value}, needed is ${needed}`),
    });
  });

  it('topics that two processes create at once are there for both', async () => {
    const other = await openKafkaBroker({ brokers: [inject('services').kafka] });
    const specs = [{ name: topic, partitions: 3, compacted: false }];
    await Promise.all([broker.ensureTopics(specs), other.ensureTopics(specs), broker.ensureTopics(specs)]);
    expect(await other.partitionsOf(topic)).toBe(3);
    await other.close();
  });
});

describe('a log whose beginning was deleted', () => {
  it('begins where it says, and a read below it is refused: no commit is made up for it', async () => {
    const group = randomUUID();
    await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
    await broker.append(topic, ['a', 'b', 'c'].map(record));
    const producer = await broker.transactional(randomUUID());
    await producer.run({ records: [], commit: { group, topic, partition: 0, offset: 0, metadata: 'mine' } });
    await admin.fetchTopicOffsets(topic); // or it does not know the leader
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });

    expect(await broker.bounds(topic, 0)).toEqual({ start: 2, end: 3 });
    await expect(broker.read(topic, 0, 0, limits)).rejects.toMatchObject({ code: 'RS_OFFSET_OUT_OF_RANGE' });
    const membership = await broker.join(group, topic, async (lane) => {
      await lane.read(0, limits);
    });
    await expect(membership.done).rejects.toMatchObject({ code: 'RS_OFFSET_OUT_OF_RANGE' });
    expect(await broker.committed(group, topic, 0)).toEqual({ offset: 0, metadata: 'mine' });
    expect(values(await broker.read(topic, 0, 2, limits))).toEqual(['c']);
  });
});

it('the end is where the last record ends, however many markers follow it', async () => {
  await broker.ensureTopics([{ name: topic, partitions: 2, compacted: false }]);
  const producer = await broker.transactional(randomUUID());
  const [first] = await broker.append(topic, [{ ...record('a'), partition: 0 }]);
  for (let n = 0; n < 3; n++) {
    await producer.run({ records: [{ topic, record: { ...record(`${n}`), partition: 1 } }] });
  }
  expect(await broker.bounds(topic, 0)).toEqual({ start: 0, end: (first?.offset ?? Number.NaN) + 1 });
  // Three records and two markers, then one more marker.
  expect(await broker.bounds(topic, 1)).toEqual({ start: 0, end: 5 });
  const records = await broker.read(topic, 1, 0, limits);
  expect(records.map(({ offset }) => offset)).toEqual([0, 2, 4]);
  expect(await broker.read(topic, 1, 5, { maxBytes: 1e6, maxWaitMs: 0 })).toEqual([]);
});

it('one append of many megabytes, in records of every size, is read in its order', async () => {
  await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
  const sizes = [7_900_000, 10, 700_000, 700_000, ...Array.from({ length: 5000 }, () => 400)];
  const positions = await broker.append(
    topic,
    sizes.map((size, n) => ({ key: `${n}`, value: Buffer.alloc(size, n % 251), partition: 0 })),
  );
  expect(positions.map(({ offset }) => offset)).toEqual(sizes.map((_, n) => n));
  const found: LogRecord[] = [];
  while (found.length < sizes.length) found.push(...(await broker.read(topic, 0, found.length, limits)));
  expect(found.every(({ value }, n) => value?.equals(Buffer.alloc(sizes[n] ?? 0, n % 251)))).toBe(true);
});

describe('other clients', () => {
  it('what they wrote with gzip is read, with its headers', async () => {
    await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
    const producer = foreign.producer();
    await producer.connect();
    const messages = [{ key: 'k', value: 'a'.repeat(5000), headers: { h: 'é' } }, { value: 'b' }];
    await producer.send({ topic, compression: CompressionTypes.GZIP, messages });
    await producer.disconnect();
    const records = await broker.read(topic, 0, 0, limits);
    expect(values(records)).toEqual(['a'.repeat(5000), 'b']);
    expect(records[0]).toMatchObject({ key: Buffer.from('k'), headers: { h: 'é' } });
  });

  it('read what was written here, committed alone', async () => {
    await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
    await broker.append(topic, [{ key: 'k', value: Buffer.from('a'), headers: { h: 'é' } }]);
    const producer = await broker.transactional(randomUUID());
    await producer.run({ records: [{ topic, record: record('b') }] });
    const consumer = foreign.consumer({ groupId: randomUUID() });
    await consumer.subscribe({ topic, fromBeginning: true });
    const seen: Array<string | undefined> = [];
    await new Promise<void>((resolve) => {
      void consumer.run({
        eachMessage: async ({ message }) => {
          seen.push(message.value?.toString());
          if (seen.length === 2) resolve();
        },
      });
    });
    await consumer.disconnect();
    expect(seen).toEqual(['a', 'b']);
  });
});

describe('a broker that asks who is there', () => {
  const { secured, tls } = inject('services');
  const sasl = (mechanism: 'plain' | 'scram-sha-256', password: string) => ({ mechanism, username: 'alice', password });

  async function assertWorks(options: KafkaOptions): Promise<void> {
    const opened = await openKafkaBroker(options);
    await opened.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
    const producer = await opened.transactional(randomUUID());
    await producer.run({ records: [{ topic, record: record('a') }] });
    expect(values(await opened.read(topic, 0, 0, limits))).toEqual(['a']);
    await opened.close();
  }

  it.each(['plain', 'scram-sha-256'] as const)('lets the right password in, by %s', async (mechanism) => {
    await assertWorks({ brokers: [secured], sasl: sasl(mechanism, 'correct') });
  });

  it.each(['plain', 'scram-sha-256'] as const)(
    'refuses a wrong one as a setting, not an outage, by %s',
    async (mechanism) => {
      const opening = openKafkaBroker({ brokers: [secured], sasl: sasl(mechanism, 'wrong') });
      await expect(opening).rejects.toMatchObject({ code: 'RS_CONFIG' });
    },
  );

  it('speaks TLS with whoever trusts its certificate, and nobody else', async () => {
    await assertWorks({ brokers: [tls.broker], tls: { ca: tls.ca } });
    await expect(openKafkaBroker({ brokers: [tls.broker], tls: true })).rejects.toMatchObject({ code: 'RS_CONFIG' });
  });
});

it.each(['nowhere', 'host:', ''])('%j is no broker', async (address) => {
  await expect(openKafkaBroker({ brokers: [address] })).rejects.toMatchObject({ code: 'RS_CONFIG' });
});

it('a lane that another process fenced is given back and worked on again', async () => {
  await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
  const id = randomUUID();
  let runs = 0;
  let isAgain: () => void = () => undefined;
  const again = new Promise<void>((resolve) => {
    isAgain = resolve;
  });
  const membership = await broker.join(randomUUID(), topic, async (lane) => {
    const producer = await broker.transactional(id);
    runs++;
    if (runs === 1) await broker.transactional(id);
    await producer.run({ records: [{ topic, record: record(`${runs}`) }] });
    isAgain();
    await new Promise<void>((resolve) => lane.revoked.addEventListener('abort', () => resolve(), { once: true }));
  });
  await again;
  await membership.leave();
  await membership.done;
  expect(values(await broker.read(topic, 0, 0, limits))).toEqual(['2']);
});

it('a lane whose transaction failed is rebuilt alone: the others of its member go on', async () => {
  await broker.ensureTopics([{ name: topic, partitions: 2, compacted: false }]);
  const events: string[] = [];
  let isAgain: () => void = () => undefined;
  const again = new Promise<void>((resolve) => {
    isAgain = resolve;
  });
  const membership = await broker.join(randomUUID(), topic, async ({ partition, revoked }) => {
    events.push(`${partition} began`);
    const isFirst = events.filter((event) => event === '0 began').length === 1;
    if (partition === 0 && isFirst) throw new RollstreamError('RS_BROKER_UNREACHABLE', 'nothing was written');
    if (partition === 0) isAgain();
    await new Promise<void>((resolve) => revoked.addEventListener('abort', () => resolve(), { once: true }));
    events.push(`${partition} ended`);
  });
  await again;
  expect(events).toEqual(['0 began', '1 began', '0 began']);
  await membership.leave();
  await membership.done;
});

it('a record that the broker refuses fails its own append, not those that were sent with it', async () => {
  await broker.ensureTopics([{ name: topic, partitions: 1, compacted: true }]);
  const keyed = (key: string) => [{ key, value: Buffer.from(key) }];
  const calls = [keyed('a'), [...keyed('b'), record('without a key')], keyed('c')];
  const settled = await Promise.allSettled(calls.map((records) => broker.append(topic, records)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(settled[1]).toMatchObject({ reason: { code: 'RS_INPUT_REFUSED' } });
  expect(values(await broker.read(topic, 0, 0, limits)).slice(0, 1)).toEqual(['a']);
  const { end } = await broker.bounds(topic, 0);
  expect(end).toBe(2);
});
