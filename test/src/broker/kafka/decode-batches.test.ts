import { gzipSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBatches } from '../../../../src/broker/kafka/decode-batches.ts';
import { BATCH_HEADER_BYTES, encodeBatch } from '../../../../src/broker/kafka/encode-batch.ts';
import { prepareRecord } from '../../../../src/broker/prepared-record.ts';

const PRODUCER = { id: 7, epoch: 1, sequence: 0, transactional: false };
const prepared = (text: string) => prepareRecord('t', { key: null, value: Buffer.from(text) }, 1e6);

/** As a broker stores it: offsets are given out there. */
function stored(batch: Buffer, base: number, attributes = batch.readInt16BE(21)): Buffer {
  batch.writeBigInt64BE(BigInt(base), 0);
  batch.writeInt16BE(attributes, 21);
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}
const batchOf = (base: number, texts: string[], producer: Partial<typeof PRODUCER> = {}) =>
  stored(encodeBatch(texts.map(prepared), { ...PRODUCER, ...producer }, 1000), base);

const CONTROL = 0x20;
const TRANSACTIONAL = 0x10;
/** The marker that ends a transaction. */
const marker = (base: number, id: number) =>
  stored(encodeBatch([prepared('')], { ...PRODUCER, id }, 1000), base, CONTROL | TRANSACTIONAL);

function decode(batches: Buffer[], from = 0, aborted: Array<{ producerId: number; firstOffset: number }> = []) {
  const fetched = { errorCode: 0, logStart: 0, aborted, records: Buffer.concat(batches) };
  const { records, next } = decodeBatches('t', 3, from, fetched);
  return { next, found: records.map(({ offset, value }) => `${offset}:${value?.toString()}`) };
}

it('what is encoded is decoded, whatever the record', () => {
  const bytes = fc.option(fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)));
  const record = fc.record({
    key: bytes,
    value: bytes,
    headers: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
  });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 200 }), fc.nat(2 ** 40), (records, base) => {
      const batch = encodeBatch(
        records.map((one) => prepareRecord('t', one, 1e6)),
        PRODUCER,
        1_700_000_000_123,
      );
      const fetched = { errorCode: 0, logStart: 0, aborted: [], records: stored(batch, base) };
      const { records: found, next } = decodeBatches('t', 3, base, fetched);
      expect(next).toBe(base + records.length);
      expect(found).toEqual(
        records.map(({ key, value, headers }, n) => ({
          topic: 't',
          partition: 3,
          offset: base + n,
          timestampMs: 1_700_000_000_123,
          key,
          value,
          headers: { ...headers },
        })),
      );
    }),
    { numRuns: 200 },
  );
});

it('a batch is read from the middle, and one that was cut is left for the next fetch', () => {
  const cut = batchOf(13, ['d', 'e']);
  expect(decode([batchOf(10, ['a', 'b', 'c']), cut.subarray(0, cut.length - 1)], 11)).toEqual({
    next: 13,
    found: ['11:b', '12:c'],
  });
  expect(decode([cut.subarray(0, 30)], 13)).toEqual({ next: 13, found: [] });
});

it('the append time of the broker counts where the topic says so', () => {
  const batch = batchOf(0, ['a']);
  batch.writeBigInt64BE(5000n, 35);
  const records = stored(batch, 0, 0x08);
  expect(decodeBatches('t', 0, 0, { errorCode: 0, logStart: 0, aborted: [], records }).records[0]?.timestampMs).toBe(
    5000,
  );
});

describe('transactions', () => {
  it('a marker is passed: the log goes on behind it', () => {
    const committed = batchOf(0, ['a'], { transactional: true });
    expect(decode([committed, marker(1, 7)])).toEqual({ next: 2, found: ['0:a'] });
    expect(decode([committed, marker(1, 7)], 1)).toEqual({ next: 2, found: [] });
  });

  it('aborted records do not show, those of others and of the next transaction do', () => {
    const batches = [
      batchOf(0, ['aborted', 'aborted'], { transactional: true }),
      batchOf(2, ['other'], { id: 8, transactional: true }),
      batchOf(3, ['plain']),
      batchOf(4, ['aborted'], { transactional: true }),
      marker(5, 7),
      batchOf(6, ['next'], { transactional: true }),
      marker(7, 7),
    ];
    expect(decode(batches, 0, [{ producerId: 7, firstOffset: 0 }])).toEqual({
      next: 8,
      found: ['2:other', '3:plain', '6:next'],
    });
  });

  it('a transaction that was aborted before the fetch began is known by its first offset', () => {
    const batches = [batchOf(5, ['aborted'], { transactional: true }), marker(6, 7), batchOf(7, ['x'])];
    expect(decode(batches, 5, [{ producerId: 7, firstOffset: 1 }]).found).toEqual(['7:x']);
  });
});

describe('what other producers write', () => {
  /** The same batch, packed. */
  function packed(codec: number, pack: (records: Buffer) => Buffer): Buffer {
    const plain = batchOf(0, ['a', 'b']);
    const batch = Buffer.concat([
      plain.subarray(0, BATCH_HEADER_BYTES),
      pack(Buffer.from(plain.subarray(BATCH_HEADER_BYTES))),
    ]);
    batch.writeInt32BE(batch.length - 12, 8);
    return stored(batch, 0, codec);
  }

  it('is read when packed with gzip', () => {
    expect(decode([packed(1, gzipSync)]).found).toEqual(['0:a', '1:b']);
  });

  it.each([
    [2, 'snappy'],
    [3, 'lz4'],
    [4, 'zstd'],
  ])('is refused with codec %i, naming topic and setting', (codec, name) => {
    expect(() => decode([packed(codec, (records) => records)])).toThrow(
      expect.objectContaining({
        code: 'RS_CONFIG',
        message: expect.stringMatching(new RegExp(`topic t .*${name}.*compression\\.type`)),
      }),
    );
  });

  it('a flipped bit is found, never read', () => {
    const batch = batchOf(40, ['aaaa']);
    batch.writeUInt8(batch.readUInt8(batch.length - 3) ^ 1, batch.length - 3);
    expect(() => decode([batch])).toThrow(
      expect.objectContaining({ code: 'RS_LOG_DAMAGED', message: expect.stringContaining('t/3 from offset 40') }),
    );
  });
});
