import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partitionOf } from '../../src/broker/partition-of.ts';
import type { Broker, Lane, LogRecord, NewRecord } from '../../src/broker/port.ts';
import { RollstreamError } from '../../src/errors.ts';

/** One broker to test. Topics and groups are named anew by each test, so a shared cluster will do. */
export interface BrokerUnderTest {
  readonly broker: Broker;
  /** A record's limit; at most a few MB, since the suite exceeds it. */
  readonly maxRecordBytes: number;
  /** Closes the broker and opens it once more, on the same log. */
  readonly reopen?: () => Promise<Broker>;
  readonly cleanup: () => Promise<void>;
}

/**
 * What every adapter of the Broker port promises. Offsets only grow: between them are gaps, where a transaction was committed
 * or a record of a compacted topic was replaced.
 */
export function brokerContract(name: string, open: () => Promise<BrokerUnderTest>): void {
  describe(`${name} keeps the contract of a broker:`, () => {
    let under: BrokerUnderTest;
    let broker: Broker;

    beforeEach(async () => {
      under = await open();
      broker = under.broker;
    });
    afterEach(async () => {
      await under.cleanup();
    });

    const text = (value: string): NewRecord => ({ key: null, value: Buffer.from(value) });
    const texts = (records: readonly LogRecord[]): Array<string | undefined> => records.map((r) => r.value?.toString());

    async function newTopic(partitions = 1, compacted = false): Promise<string> {
      const topic = `contract-${randomUUID()}`;
      await broker.ensureTopics([{ name: topic, partitions, compacted }]);
      return topic;
    }

    /** The next `count` records from `from` on. */
    async function take(topic: string, count: number, from = 0, partition = 0, maxBytes = 1e6): Promise<LogRecord[]> {
      const records: LogRecord[] = [];
      let next = from;
      while (records.length < count) {
        const more = await broker.read(topic, partition, next, { maxBytes, maxWaitMs: 10_000 });
        if (more.length === 0) throw new Error(`${count} records wanted, ${records.length} came`);
        records.push(...more);
        next = (more.at(-1)?.offset ?? next) + 1;
      }
      return records;
    }

    async function assertNothingMore(topic: string, records: readonly LogRecord[], partition = 0): Promise<void> {
      const next = (records.at(-1)?.offset ?? -1) + 1;
      expect(await broker.read(topic, partition, next, { maxBytes: 1e6, maxWaitMs: 0 })).toEqual([]);
    }

    describe('appending and reading', () => {
      test('a record comes back as it was appended, null and empty kept apart', async () => {
        const topic = await newTopic();
        const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
        const given: NewRecord[] = [
          { key: everyByte, value: everyByte, headers: { file: 'ä\u0000.jsonl', empty: '' } },
          { key: 'run/0/g/é', value: Buffer.alloc(0), partition: 0 },
          { key: null, value: null },
          { key: Buffer.alloc(0), value: Buffer.from('x') },
        ];
        await broker.append(topic, given);
        const records = await take(topic, 4);
        expect(records.map(({ key, value, headers }) => ({ key, value, headers }))).toEqual([
          { key: everyByte, value: everyByte, headers: { file: 'ä\u0000.jsonl', empty: '' } },
          { key: Buffer.from('run/0/g/é'), value: Buffer.alloc(0), headers: {} },
          { key: null, value: null, headers: {} },
          { key: Buffer.alloc(0), value: Buffer.from('x'), headers: {} },
        ]);
        expect(records.every((record) => record.topic === topic && record.partition === 0)).toBe(true);
      });

      test('append answers with the offset that each record is read at, in the order given', async () => {
        const topic = await newTopic(3);
        const given = Array.from({ length: 60 }, (_, n) => ({ ...text(`${n}`), partition: n % 3 }));
        const positions = await broker.append(topic, given);
        expect(positions.map(({ partition }) => partition)).toEqual(given.map(({ partition }) => partition));
        for (const n of [0, 1, 17, 59]) {
          const at = positions[n];
          if (at === undefined) throw new Error('no position');
          const [record] = await take(topic, 1, at.offset, at.partition);
          expect(record).toMatchObject({ offset: at.offset, partition: at.partition, value: Buffer.from(`${n}`) });
        }
        expect(texts(await take(topic, 20, 0, 1))).toEqual(Array.from({ length: 20 }, (_, n) => `${3 * n + 1}`));
      });

      test('a key goes to the partition that every Kafka client chooses for it, no key to the first', async () => {
        const topic = await newTopic(7);
        const keys = ['run/0/g/1', 'run/0/g/2', 'run/1/r/é', ''];
        const positions = await broker.append(
          topic,
          [...keys, null].map((key) => ({ key, value: null })),
        );
        expect(positions.map(({ partition }) => partition)).toEqual([...keys.map((key) => partitionOf(key, 7)), 0]);
      });

      test('an empty log has equal bounds, and a read of it answers at once when it may not wait', async () => {
        const topic = await newTopic();
        const { start, end } = await broker.bounds(topic, 0);
        expect(start).toBe(end);
        expect(await broker.read(topic, 0, start, { maxBytes: 1e6, maxWaitMs: 0 })).toEqual([]);
        expect(await broker.append(topic, [])).toEqual([]);
        expect(await broker.bounds(topic, 0)).toEqual({ start, end });
      });

      test('bounds grow past each record appended', async () => {
        const topic = await newTopic();
        const positions = await broker.append(topic, [text('a'), text('b')]);
        expect((await broker.bounds(topic, 0)).end).toBeGreaterThan(positions[1]?.offset ?? Number.NaN);
        expect((await broker.bounds(topic, 0)).start).toBeLessThanOrEqual(positions[0]?.offset ?? Number.NaN);
      });

      test('a record larger than maxBytes is read all the same, and small reads lose nothing', async () => {
        const topic = await newTopic();
        const values = Array.from({ length: 50 }, (_, n) => `${n}:${'x'.repeat(n * 40)}`);
        await broker.append(topic, values.map(text));
        expect(texts(await take(topic, 50, 0, 0, 1))).toEqual(values);
        expect(texts(await take(topic, 50, 0, 0, 5000))).toEqual(values);
      });

      test('a read outside of the log is refused', async () => {
        const topic = await newTopic();
        await broker.append(topic, [text('a')]);
        const { start, end } = await broker.bounds(topic, 0);
        for (const offset of [start - 1, end + 1]) {
          const read = broker.read(topic, 0, offset, { maxBytes: 1e6, maxWaitMs: 0 });
          await expect(read).rejects.toMatchObject({ code: 'RS_OFFSET_OUT_OF_RANGE' });
        }
      });

      test('a waiting read gets the record that is appended meanwhile', async () => {
        const topic = await newTopic(2);
        const reading = broker.read(topic, 1, 0, { maxBytes: 1e6, maxWaitMs: 50_000 });
        await broker.append(topic, [{ ...text('elsewhere'), partition: 0 }]);
        await broker.append(topic, [{ ...text('here'), partition: 1 }]);
        expect(texts(await reading)).toEqual(['here']);
      });

      test('timestamps never fall within a partition', async () => {
        const topic = await newTopic();
        for (let n = 0; n < 10; n++) await broker.append(topic, [text(`${n}`), text(`${n}'`)]);
        const times = (await take(topic, 20)).map(({ timestampMs }) => timestampMs);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      });

      test('appends that overlap keep the order of their calls, and each its records together', async () => {
        const topic = await newTopic();
        const calls = Array.from({ length: 40 }, (_, n) => [`${n}a`, `${n}b`, `${n}c`]);
        await Promise.all(calls.map((values) => broker.append(topic, values.map(text))));
        expect(texts(await take(topic, 120))).toEqual(calls.flat());
      });

      test('of a batch with one record over the limit nothing is written', async () => {
        const topic = await newTopic();
        const tooLarge = { key: null, value: Buffer.alloc(under.maxRecordBytes + 1) };
        await expect(broker.append(topic, [text('a'), tooLarge])).rejects.toMatchObject({
          code: 'RS_RECORD_TOO_LARGE',
        });
        await assertNothingMore(topic, []);
      });

      test('of a batch with a partition that does not exist nothing is written', async () => {
        const topic = await newTopic(2);
        const wrong = { ...text('b'), partition: 2 };
        await expect(broker.append(topic, [text('a'), wrong])).rejects.toMatchObject({ code: 'RS_UNKNOWN_TOPIC' });
        await assertNothingMore(topic, []);
      });
    });

    describe('topics', () => {
      test('a topic that was never created is unknown to every call', async () => {
        const known = await newTopic();
        const topic = `contract-${randomUUID()}`;
        const producer = await broker.transactional(randomUUID());
        const calls = [
          () => broker.partitionsOf(topic),
          () => broker.bounds(topic, 0),
          () => broker.append(topic, [text('a')]),
          () => broker.read(topic, 0, 0, { maxBytes: 1, maxWaitMs: 0 }),
          () => broker.committed('group', topic, 0),
          () => broker.join('group', topic, async () => undefined),
          () => producer.run({ records: [{ topic, record: text('a') }] }),
          () => broker.bounds(known, 1),
          () => broker.read(known, -1, 0, { maxBytes: 1, maxWaitMs: 0 }),
        ];
        for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'RS_UNKNOWN_TOPIC' });
      });

      test('ensuring topics twice changes nothing; another partition count is refused', async () => {
        const topic = await newTopic(3);
        await broker.append(topic, [{ ...text('a'), partition: 0 }]);
        await broker.ensureTopics([{ name: topic, partitions: 3, compacted: false }]);
        expect(await broker.partitionsOf(topic)).toBe(3);
        expect(texts(await take(topic, 1))).toEqual(['a']);
        const other = broker.ensureTopics([{ name: topic, partitions: 4, compacted: false }]);
        await expect(other).rejects.toMatchObject({ code: 'RS_CONFIG' });
        expect(await broker.partitionsOf(topic)).toBe(3);
      });

      test('a compacted topic keeps the last record of each key, and never gives an offset out again', async () => {
        const topic = await newTopic(1, true);
        const last = new Map<string, string | undefined>();
        const offsets: number[] = [];
        for (let n = 0; n < 30; n++) {
          const key = `key ${n % 4}`;
          const value = n === 29 ? null : Buffer.from(`${n}`);
          const [position] = await broker.append(topic, [{ key, value }]);
          last.set(key, value?.toString());
          offsets.push(position?.offset ?? Number.NaN);
        }
        expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
        const seen = new Map<string | undefined, string | undefined>();
        const { end } = await broker.bounds(topic, 0);
        for (let next = 0; next < end; ) {
          const records = await broker.read(topic, 0, next, { maxBytes: 1e6, maxWaitMs: 1000 });
          for (const record of records) seen.set(record.key?.toString(), record.value?.toString());
          next = (records.at(-1)?.offset ?? end) + 1;
        }
        expect(seen).toEqual(last);
      });
    });

    describe('transactions', () => {
      test('records for several topics and the commit become visible together', async () => {
        const [from, ready, rejected] = [await newTopic(), await newTopic(), await newTopic(2)];
        const group = randomUUID();
        const producer = await broker.transactional(randomUUID());
        expect(await broker.committed(group, from, 0)).toBeNull();
        const waiting = broker.read(ready, 0, 0, { maxBytes: 1e6, maxWaitMs: 50_000 });
        await producer.run({
          records: [
            { topic: ready, record: { key: 'a', value: Buffer.from('1') } },
            { topic: rejected, record: { ...text('2'), partition: 1 } },
            { topic: ready, record: { key: 'b', value: Buffer.from('3') } },
          ],
          commit: { group, topic: from, partition: 0, offset: 17, metadata: 'é{}' },
        });
        expect(texts(await waiting)).toEqual(['1', '3']);
        expect(texts(await take(rejected, 1, 0, 1))).toEqual(['2']);
        expect(await broker.committed(group, from, 0)).toEqual({ offset: 17, metadata: 'é{}' });
      });

      test('the last commit counts, by group and partition', async () => {
        const topic = await newTopic(2);
        const [one, two] = [randomUUID(), randomUUID()];
        const producer = await broker.transactional(randomUUID());
        const commit = (group: string, partition: number, offset: number) =>
          producer.run({ records: [], commit: { group, topic, partition, offset, metadata: `${offset}` } });
        await commit(one, 0, 1);
        await commit(one, 0, 2);
        await commit(one, 1, 3);
        await commit(two, 0, 0);
        expect(await broker.committed(one, topic, 0)).toEqual({ offset: 2, metadata: '2' });
        expect(await broker.committed(one, topic, 1)).toEqual({ offset: 3, metadata: '3' });
        expect(await broker.committed(two, topic, 0)).toEqual({ offset: 0, metadata: '0' });
        expect(await broker.committed(two, topic, 1)).toBeNull();
      });

      test('a producer whose id another one took is fenced, and changes nothing', async () => {
        const topic = await newTopic();
        const [id, group] = [randomUUID(), randomUUID()];
        const old = await broker.transactional(id);
        const commit = { group, topic, partition: 0, metadata: '' };
        await old.run({ records: [{ topic, record: text('old') }], commit: { ...commit, offset: 1 } });
        const heir = await broker.transactional(id);
        const late = old.run({ records: [{ topic, record: text('late') }], commit: { ...commit, offset: 2 } });
        await expect(late).rejects.toMatchObject({ code: 'RS_FENCED' });
        expect(await broker.committed(group, topic, 0)).toEqual({ offset: 1, metadata: '' });
        await heir.run({ records: [{ topic, record: text('heir') }], commit: { ...commit, offset: 3 } });
        await expect(old.run({ records: [], commit: { ...commit, offset: 4 } })).rejects.toMatchObject({
          code: 'RS_FENCED',
        });
        const records = await take(topic, 2);
        expect(texts(records)).toEqual(['old', 'heir']);
        expect(await broker.committed(group, topic, 0)).toEqual({ offset: 3, metadata: '' });
      });

      test('a transaction with a record or metadata over the limit changes nothing, and the next one works', async () => {
        const topic = await newTopic();
        const group = randomUUID();
        const producer = await broker.transactional(randomUUID());
        const commit = { group, topic, partition: 0, offset: 1 };
        const longest = 'x'.repeat(4096);
        const record = { topic, record: text('a') };
        const tooLong = producer.run({ records: [record], commit: { ...commit, metadata: `${longest}x` } });
        await expect(tooLong).rejects.toMatchObject({ code: 'RS_TOO_LARGE' });
        const value = Buffer.alloc(under.maxRecordBytes + 1);
        const tooLarge = producer.run({
          records: [record, { topic, record: { key: null, value } }],
          commit: { ...commit, metadata: '' },
        });
        await expect(tooLarge).rejects.toMatchObject({ code: 'RS_RECORD_TOO_LARGE' });
        expect(await broker.committed(group, topic, 0)).toBeNull();
        await producer.run({ records: [record], commit: { ...commit, metadata: longest } });
        expect(await broker.committed(group, topic, 0)).toEqual({ offset: 1, metadata: longest });
        expect(texts(await take(topic, 1))).toEqual(['a']);
      });

      test('a closed producer is refused', async () => {
        const producer = await broker.transactional(randomUUID());
        await producer.close();
        await expect(producer.run({ records: [] })).rejects.toMatchObject({ code: 'RS_CLOSED' });
      });
    });

    describe('groups', () => {
      /** Work that keeps its lane until revoked, and what it can be watched by. */
      function holding() {
        const held = new Set<number>();
        const waiting = new Set<() => void>();
        const changed = (): void => {
          for (const check of waiting) check();
        };
        const work = async (lane: Lane): Promise<void> => {
          held.add(lane.partition);
          changed();
          if (!lane.revoked.aborted) {
            await new Promise<void>((resolve) =>
              lane.revoked.addEventListener('abort', () => resolve(), { once: true }),
            );
          }
          held.delete(lane.partition);
          changed();
        };
        const until = (condition: (partitions: ReadonlySet<number>) => boolean): Promise<void> =>
          new Promise((resolve) => {
            const check = (): void => {
              if (!condition(held)) return;
              waiting.delete(check);
              resolve();
            };
            waiting.add(check);
            check();
          });
        return { held, work, until };
      }

      test('a lone member works on every partition until it leaves', async () => {
        const topic = await newTopic(3);
        const { held, work, until } = holding();
        const membership = await broker.join(randomUUID(), topic, work);
        await until(({ size }) => size === 3);
        await membership.leave();
        expect(held.size).toBe(0);
        await membership.done;
      });

      test('a lane reads its partition, and a waiting read of it ends when the lane is revoked', async () => {
        const topic = await newTopic(2);
        await broker.append(topic, [{ ...text('a'), partition: 1 }]);
        const got: Array<string | undefined> = [];
        let waits: () => void = () => undefined;
        const waiting = new Promise<void>((resolve) => {
          waits = resolve;
        });
        const membership = await broker.join(randomUUID(), topic, async (lane) => {
          for (let next = lane.partition === 1 ? 0 : null; next !== null && !lane.revoked.aborted; ) {
            const reading = lane.read(next, { maxBytes: 1e6, maxWaitMs: 50_000 });
            if (got.length > 0) waits();
            const records = await reading;
            got.push(...texts(records));
            next = (records.at(-1)?.offset ?? next - 1) + 1;
          }
        });
        await waiting;
        await membership.leave();
        await membership.done;
        expect(got).toEqual(['a']);
      });

      test('two members share the partitions, and no partition has two workers', async () => {
        const topic = await newTopic(4);
        const group = randomUUID();
        const one = holding();
        const two = holding();
        const guarded = (own: typeof one, other: typeof one) => async (lane: Lane) => {
          if (other.held.has(lane.partition)) throw new Error(`partition ${lane.partition} has two workers`);
          await own.work(lane);
        };
        const first = await broker.join(group, topic, guarded(one, two));
        const second = await broker.join(group, topic, guarded(two, one));
        await two.until(({ size }) => size === 2);
        await one.until(({ size }) => size === 2);
        expect([...one.held, ...two.held].sort()).toEqual([0, 1, 2, 3]);
        await first.leave();
        await two.until(({ size }) => size === 4);
        await second.leave();
        await Promise.all([first.done, second.done]);
      });

      test('the error of a lane ends the membership', async () => {
        const topic = await newTopic(2);
        const { held, work } = holding();
        const membership = await broker.join(randomUUID(), topic, async (lane) => {
          if (lane.partition === 1) throw new RollstreamError('RS_STORE_UNREACHABLE', 'lane 1 failed');
          await work(lane);
        });
        await expect(membership.done).rejects.toThrow('lane 1 failed');
        expect(held.size).toBe(0);
      });
    });

    test('closing ends lanes and waiting reads, and what comes later is refused', async () => {
      const topic = await newTopic();
      const reading = broker.read(topic, 0, 0, { maxBytes: 1e6, maxWaitMs: 50_000 });
      const refused = expect(reading).rejects.toMatchObject({ code: 'RS_CLOSED' });
      let revoked = false;
      await broker.join(randomUUID(), topic, async (lane) => {
        await lane.read(0, { maxBytes: 1e6, maxWaitMs: 50_000 });
        revoked = lane.revoked.aborted;
      });
      await broker.close();
      await refused;
      expect(revoked).toBe(true);
      await broker.close();
      const calls = [
        () => broker.append(topic, [text('a')]),
        () => broker.read(topic, 0, 0, { maxBytes: 1, maxWaitMs: 0 }),
        () => broker.committed('group', topic, 0),
        () => broker.transactional('id'),
        () => broker.ensureTopics([]),
        () => broker.join('group', topic, async () => undefined),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    });

    test('records, commits, fences and offsets outlive the process', async (context) => {
      const { reopen } = under;
      if (reopen === undefined) return context.skip('this adapter has no reopen');
      const topic = await newTopic(2);
      const [id, group] = [randomUUID(), randomUUID()];
      const old = await broker.transactional(id);
      await old.run({
        records: [{ topic, record: text('a') }],
        commit: { group, topic, partition: 0, offset: 5, metadata: 'm' },
      });
      await broker.append(topic, [text('b')]);
      const { end } = await broker.bounds(topic, 0);
      broker = await reopen();
      expect(await broker.partitionsOf(topic)).toBe(2);
      expect(await broker.committed(group, topic, 0)).toEqual({ offset: 5, metadata: 'm' });
      expect((await broker.bounds(topic, 0)).end).toBe(end);
      const [position] = await broker.append(topic, [text('c')]);
      expect(position?.offset).toBeGreaterThanOrEqual(end);
      expect(texts(await take(topic, 3))).toEqual(['a', 'b', 'c']);
    });
  });
}
