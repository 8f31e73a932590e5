import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chunkKey } from '../../../../src/broker/embedded/chunk-key.ts';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import { openTables } from '../../../../src/broker/embedded/tables.ts';
import type { Broker } from '../../../../src/broker/port.ts';

const ALL = { maxBytes: 1e9, maxWaitMs: 0 };
const HOUR_MS = 3_600_000;

let folder: string;
let broker: Broker;
let clockMs: number;

async function reopen(): Promise<void> {
  await broker.close();
  broker = await openEmbeddedBroker({ folder, now: () => clockMs });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-log-'));
  clockMs = 1000;
  broker = await openEmbeddedBroker({ folder, now: () => clockMs });
  await broker.ensureTopics([
    { name: 'steps', partitions: 2, compacted: false },
    { name: 'state', partitions: 1, compacted: true },
  ]);
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

test('append times come from the clock, and stand still while it runs backwards, across a restart too', async () => {
  const times: number[] = [];
  for (const now of [1000, 2000, 1500, 1700, 2500]) {
    clockMs = now;
    if (now === 1700) await reopen();
    await broker.append('steps', [{ key: null, value: null }]);
  }
  for (const { timestampMs } of await broker.read('steps', 0, 0, ALL)) times.push(timestampMs);
  expect(times).toEqual([1000, 2000, 2000, 2000, 2500]);
});

test('offsets are given out without gaps from 0, whatever the sizes of records and transactions', async () => {
  const producer = await broker.transactional('lane');
  const sizes = [0, 10, 70_000, 64 * 1024, 3, 40_000, 40_000];
  for (const size of sizes) {
    const record = { key: null, value: Buffer.alloc(size, 1) };
    await broker.append('steps', [record, record]);
    await producer.run({ records: [{ topic: 'steps', record }] });
  }
  const records = await broker.read('steps', 0, 0, ALL);
  expect(records.map(({ offset }) => offset)).toEqual(Array.from({ length: 21 }, (_, n) => n));
  expect(records.map(({ value }) => value?.length)).toEqual(sizes.flatMap((size) => [size, size, size]));
  for (const from of [1, 5, 6, 20]) {
    expect((await broker.read('steps', 0, from, { maxBytes: 1, maxWaitMs: 0 })).map(({ offset }) => offset)).toEqual([
      from,
    ]);
  }
  expect(await broker.bounds('steps', 0)).toEqual({ start: 0, end: 21 });
});

test('a record of 64 MiB is kept, one byte more is refused', async () => {
  const limit = 64 * 1024 * 1024;
  const largest = Buffer.alloc(limit, 'largest');
  await broker.append('steps', [{ key: null, value: largest }]);
  const [record] = await broker.read('steps', 0, 0, { maxBytes: 1, maxWaitMs: 0 });
  expect(record?.value?.equals(largest)).toBe(true);
  const append = broker.append('steps', [{ key: 'k', value: largest }]);
  await expect(append).rejects.toMatchObject({ code: 'RS_RECORD_TOO_LARGE' });
});

test('a compacted topic holds one record a key, and a waiting reader passes over the gaps', async () => {
  for (let n = 0; n < 20; n++) {
    await broker.append('state', [
      { key: 'a', value: Buffer.from(`${n}`) },
      { key: 'x'.repeat(5000), value: Buffer.from(`${n}`) },
    ]);
  }
  const records = await broker.read('state', 0, 0, ALL);
  expect(records.map(({ offset, value }) => [offset, value?.toString()])).toEqual([
    [38, '19'],
    [39, '19'],
  ]);
  expect((await broker.read('state', 0, 20, { maxBytes: 1, maxWaitMs: 0 })).map(({ offset }) => offset)).toEqual([38]);
});

test('a tombstone can be read for a day; the offset that it had is not given out again', async () => {
  await broker.append('state', [
    { key: 'kept', value: Buffer.from('1') },
    { key: 'gone', value: Buffer.from('2') },
    { key: 'gone', value: null },
  ]);
  clockMs += 24 * HOUR_MS;
  await reopen();
  expect((await broker.read('state', 0, 0, ALL)).map(({ offset }) => offset)).toEqual([0, 2]);
  clockMs += 1;
  await reopen();
  expect((await broker.read('state', 0, 0, ALL)).map(({ offset }) => offset)).toEqual([0]);
  expect(await broker.append('state', [{ key: 'gone', value: Buffer.from('3') }])).toEqual([
    { partition: 0, offset: 3 },
  ]);
  expect((await broker.read('state', 0, 1, ALL)).map(({ value }) => value?.toString())).toEqual(['3']);
});

test('a compacted topic refuses a record without a key, and no topic changes its kind', async () => {
  await expect(broker.append('state', [{ key: null, value: null }])).rejects.toMatchObject({
    code: 'RS_INPUT_REFUSED',
  });
  const changed = broker.ensureTopics([
    { name: 'new', partitions: 1, compacted: false },
    { name: 'state', partitions: 1, compacted: false },
  ]);
  await expect(changed).rejects.toMatchObject({ code: 'RS_CONFIG' });
  await expect(broker.partitionsOf('new')).rejects.toMatchObject({ code: 'RS_UNKNOWN_TOPIC' });
});

test('text that UTF-8 cannot hold is refused as a key or header, never altered', async () => {
  const lone = 'run/\ud800';
  for (const record of [
    { key: lone, value: null },
    { key: null, value: null, headers: { file: lone } },
  ]) {
    await expect(broker.append('steps', [record])).rejects.toMatchObject({ code: 'RS_INPUT_REFUSED' });
  }
  expect(await broker.bounds('steps', 0)).toEqual({ start: 0, end: 0 });
});

test('a stored value that changed is named by topic, partition and offset; what stands before it is read', async () => {
  await broker.append('steps', [{ key: null, value: Buffer.from('whole') }]);
  await broker.append('steps', [{ key: null, value: Buffer.from('torn') }]);
  await broker.close();
  const tables = openTables(folder);
  const key = chunkKey(0, 0, 1);
  const value = tables.chunks.get(key) ?? Buffer.alloc(0);
  await tables.chunks.put(key, value.subarray(0, value.length - 1));
  await tables.root.close();

  broker = await openEmbeddedBroker({ folder });
  expect(await broker.read('steps', 0, 0, { maxBytes: 1, maxWaitMs: 0 })).toHaveLength(1);
  await expect(broker.read('steps', 0, 1, ALL)).rejects.toMatchObject({
    code: 'RS_LOG_DAMAGED',
    message: 'the records of steps/0 from offset 1 on are damaged: the checksum does not fit the bytes',
  });
});

test('a log of another format, and a file that is no log, are refused without being touched', async () => {
  await broker.close();
  const tables = openTables(folder);
  const meta = tables.root.openDB<number, string>({ name: 'meta', encoding: 'json' });
  await meta.put('format', 2);
  await tables.root.close();
  await expect(openEmbeddedBroker({ folder })).rejects.toMatchObject({
    code: 'RS_DATA_VERSION',
    message: `the log in ${folder} has format 2; this build reads 1`,
  });
  for (const content of ['not a log', Buffer.alloc(20_000, 7)]) {
    const other = join(folder, 'other');
    await mkdir(other, { recursive: true });
    await writeFile(join(other, 'data.mdb'), content);
    await expect(openEmbeddedBroker({ folder: other })).rejects.toMatchObject({ code: 'RS_DATA_VERSION' });
  }
});

test('a change that was refused does not stop those that share its transaction', async () => {
  const old = await broker.transactional('lane');
  await broker.transactional('lane');
  const record = { key: null, value: Buffer.from('x') };
  const outcomes = await Promise.allSettled([
    broker.append('steps', [record]),
    old.run({ records: [{ topic: 'steps', record }] }),
    broker.append('steps', [record]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await broker.bounds('steps', 0)).toEqual({ start: 0, end: 2 });
});
