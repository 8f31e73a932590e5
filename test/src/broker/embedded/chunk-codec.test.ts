import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkDamage, decodeChunk, encodeChunk, encodedLength } from '../../../../src/broker/embedded/chunk-codec.ts';
import { baseOffsetOf, chunkKey, partitionOfChunk } from '../../../../src/broker/embedded/chunk-key.ts';
import type { NewRecord } from '../../../../src/broker/port.ts';
import { prepareRecord } from '../../../../src/broker/prepared-record.ts';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const newRecord: fc.Arbitrary<NewRecord> = fc.record({
  key: fc.option(fc.oneof(bytes, text)),
  value: fc.option(bytes),
  headers: fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true }),
});
const chunk = fc.record({
  records: fc.array(newRecord, { minLength: 1, maxLength: 8 }),
  timestampMs: fc.double({ noNaN: true }),
  key: fc
    .tuple(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.nat(Number.MAX_SAFE_INTEGER))
    .map((place) => chunkKey(...place)),
});

const prepare = (record: NewRecord) => prepareRecord('topic', record, 1_000_000);

test('a chunk gives back the records, the time and every null that went into it', () => {
  fc.assert(
    fc.property(chunk, ({ records, timestampMs, key }) => {
      const encoded = encodeChunk(records.map(prepare), timestampMs, key);
      const decoded = decodeChunk(encoded, key);
      expect(decoded.timestampMs).toBe(timestampMs);
      expect(decoded.count).toBe(records.length);
      expect([...decoded.records]).toEqual(
        records.map(({ key, value, headers }, index) => ({
          index,
          key: typeof key === 'string' ? Buffer.from(key) : key,
          value,
          headers: { ...headers },
        })),
      );
    }),
  );
});

test('a record takes the bytes that it is said to take', () => {
  fc.assert(
    fc.property(newRecord, fc.integer({ min: 1, max: 200 }), (record, count) => {
      const prepared = prepare(record);
      const key = chunkKey(0, 0, 0);
      const one = encodeChunk([prepared], 0, key).length;
      const many = encodeChunk(
        Array.from({ length: count }, () => prepared),
        0,
        key,
      ).length;
      const longerCount = count >= 128 ? 1 : 0;
      expect(many - one).toBe((count - 1) * encodedLength(prepared) + longerCount);
    }),
  );
});

test('any one bit that changed, any cut, any other key is noticed', () => {
  fc.assert(
    fc.property(chunk, fc.nat(), fc.nat(7), fc.nat(), ({ records, timestampMs, key }, at, bit, cut) => {
      const encoded = encodeChunk(records.map(prepare), timestampMs, key);
      const flipped = Buffer.from(encoded);
      const place = at % encoded.length;
      flipped[place] = (encoded[place] ?? 0) ^ (1 << bit);
      expect(() => decodeChunk(flipped, key)).toThrow(ChunkDamage);
      expect(() => decodeChunk(encoded.subarray(0, cut % encoded.length), key)).toThrow(ChunkDamage);
      const elsewhere = chunkKey(key.readUInt32BE(0), partitionOfChunk(key), (baseOffsetOf(key) + 1) % 2 ** 53);
      expect(() => decodeChunk(encoded, elsewhere)).toThrow(ChunkDamage);
    }),
  );
});

test('another format is named', () => {
  const key = chunkKey(1, 2, 3);
  const encoded = encodeChunk([prepare({ key: null, value: Buffer.from('x') })], 0, key);
  encoded[0] = 2;
  expect(() => decodeChunk(encoded, key)).toThrow('format 2, this build reads format 1');
});

test('keys of chunks sort by topic, partition and offset', () => {
  const places: Array<[number, number, number]> = [
    [0, 0, 0],
    [0, 0, 255],
    [0, 0, 2 ** 40],
    [0, 1, 0],
    [1, 0, 0],
    [256, 0, 0],
  ];
  const keys = places.map((place) => chunkKey(...place));
  expect([...keys].reverse().sort(Buffer.compare)).toEqual(keys);
  expect(keys.map(baseOffsetOf)).toEqual(places.map(([, , offset]) => offset));
});
