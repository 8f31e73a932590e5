import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import type { Broker, LogRecord } from '../../src/broker/port.ts';
import { API, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';

/** Answers that get lost, networks that go away: what was written must be known, or found out. */

const ports = inject('services').proxied;
let proxy: FaultyProxy;
let broker: Broker;
let topic: string;

beforeEach(async () => {
  proxy = await startFaultyProxy(ports);
  broker = await openKafkaBroker({ brokers: [`127.0.0.1:${ports.advertised}`] });
  topic = `faults-${randomUUID()}`;
  await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
});
afterEach(async () => {
  await broker.close();
  await proxy.close();
});

const record = (text: string) => ({ key: null, value: Buffer.from(text) });

async function all(): Promise<LogRecord[]> {
  const { start, end } = await broker.bounds(topic, 0);
  const records: LogRecord[] = [];
  for (let next = start; next < end; next = (records.at(-1)?.offset ?? end) + 1) {
    records.push(...(await broker.read(topic, 0, next, { maxBytes: 1e6, maxWaitMs: 5_000 })));
  }
  return records;
}
const values = (records: readonly LogRecord[]) => records.map(({ value }) => value?.toString());

it('an append whose answer is lost is written once, and answered with its offset', async () => {
  await broker.append(topic, [record('a')]);
  proxy.loseAnswers(API.produce, 3);
  const [position] = await broker.append(topic, [record('b')]);
  expect(proxy.lost).toBe(3);
  const records = await all();
  expect(values(records)).toEqual(['a', 'b']);
  expect(position?.offset).toBe(records[1]?.offset);
});

it('reading goes on after a connection is lost, without a gap or a repeat', async () => {
  await broker.append(topic, ['a', 'b', 'c'].map(record));
  expect(values(await broker.read(topic, 0, 0, { maxBytes: 1, maxWaitMs: 5_000 }))).toEqual(['a']);
  proxy.thaw();
  expect(values(await broker.read(topic, 0, 1, { maxBytes: 1e6, maxWaitMs: 5_000 }))).toEqual(['b', 'c']);
});

describe('a transaction', () => {
  const group = randomUUID();
  const commit = (offset: number) => ({ group, topic, partition: 0, offset, metadata: `${offset}` });
  const transaction = (text: string, offset: number) => ({
    records: [{ topic, record: record(text) }],
    commit: commit(offset),
  });

  it('whose end is answered only after three lost answers is committed once', async () => {
    const producer = await broker.transactional(randomUUID());
    await producer.run(transaction('a', 1));
    proxy.loseAnswers(API.endTxn, 3);
    await producer.run(transaction('b', 2));
    expect(proxy.lost).toBe(3);
    expect(values(await all())).toEqual(['a', 'b']);
    expect(await broker.committed(group, topic, 0)).toEqual({ offset: 2, metadata: '2' });
  });

  it('whose records were acknowledged unheard is written once', async () => {
    const producer = await broker.transactional(randomUUID());
    await producer.run(transaction('a', 1));
    proxy.loseAnswers(API.produce, 2);
    await producer.run(transaction('b', 2));
    await producer.run(transaction('c', 3));
    expect(values(await all())).toEqual(['a', 'b', 'c']);
  });

  it('that an outage stops wrote nothing, does not hide what follows, and may be run again', async () => {
    const producer = await broker.transactional(randomUUID());
    await producer.run(transaction('a', 1));
    proxy.freeze();
    await expect(producer.run(transaction('b', 2))).rejects.toMatchObject({ code: 'RS_BROKER_UNREACHABLE' });
    proxy.thaw();
    await producer.run(transaction('b', 2));
    expect(values(await all())).toEqual(['a', 'b']);
  });

  it('whose time runs out in an outage is aborted by the broker, and may be run again', async () => {
    const producer = await broker.transactional(randomUUID());
    await producer.run(transaction('a', 1));
    proxy.freezeAfter(API.produce);
    await expect(producer.run(transaction('b', 2))).rejects.toMatchObject({ code: 'RS_BROKER_UNREACHABLE' });
    const direct = await openKafkaBroker({ brokers: [inject('services').kafka] });
    await direct.append(topic, [record('c')]);
    // Hidden behind the open transaction until the broker aborts it.
    const seen = await direct.read(topic, 0, 1, { maxBytes: 1e6, maxWaitMs: 60_000 });
    expect(values(seen)).toEqual(['c']);
    await direct.close();
    proxy.thaw();
    await producer.run(transaction('b', 2));
    expect(values(await all())).toEqual(['a', 'c', 'b']);
    expect(await broker.committed(group, topic, 0)).toEqual({ offset: 2, metadata: '2' });
  });

  it('that cannot be ended because the id was taken meanwhile says so, and the heir sees what became of it', async () => {
    const id = randomUUID();
    const direct = await openKafkaBroker({ brokers: [inject('services').kafka] });
    const producer = await broker.transactional(id);
    await producer.run(transaction('a', 1));
    proxy.freeze();
    const late = producer.run(transaction('b', 2));
    const heir = await direct.transactional(id);
    await heir.run(transaction('c', 3));
    proxy.thaw();
    await expect(late).rejects.toMatchObject({ code: 'RS_FENCED' });
    await expect(producer.run(transaction('d', 4))).rejects.toMatchObject({ code: 'RS_FENCED' });
    expect(await direct.committed(group, topic, 0)).toEqual({ offset: 3, metadata: '3' });
    expect(values(await all())).toEqual(['a', 'c']);
    await direct.close();
  });
});

it('a member that hears nothing for a session gives its lanes back, and works again when the network is there', async () => {
  const group = randomUUID();
  const events: string[] = [];
  let changed: () => void = () => undefined;
  const membership = await broker.join(group, topic, async (lane) => {
    events.push('began');
    changed();
    await new Promise<void>((resolve) => lane.revoked.addEventListener('abort', () => resolve(), { once: true }));
    events.push('ended');
    changed();
  });
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      changed = () => events.length >= count && resolve();
      changed();
    });
  await until(1);
  proxy.freeze();
  await until(2);
  proxy.thaw();
  await until(3);
  await membership.leave();
  expect(events).toEqual(['began', 'ended', 'began', 'ended']);
  await membership.done;
});

it('a broker that cannot be reached is an outage, not a wrong setting', async () => {
  proxy.freeze();
  await proxy.close();
  await expect(broker.read(topic, 0, 0, { maxBytes: 1, maxWaitMs: 0 })).rejects.toMatchObject({
    code: 'RS_BROKER_UNREACHABLE',
  });
  await expect(openKafkaBroker({ brokers: [`127.0.0.1:${ports.advertised}`] })).rejects.toMatchObject({
    code: 'RS_BROKER_UNREACHABLE',
  });
  proxy = await startFaultyProxy(ports);
  expect(await broker.read(topic, 0, 0, { maxBytes: 1, maxWaitMs: 0 })).toEqual([]);
});
