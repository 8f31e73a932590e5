import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowBinaryWriter } from '../../../src/clickhouse/row-binary.ts';
import { RowBinaryReader } from '../../../src/clickhouse/row-binary-reader.ts';
import { asNullableString } from '../../../src/clickhouse/value-writers.ts';
import { anyText } from './schema-arbitrary.ts';

function written(write: (writer: RowBinaryWriter) => void): RowBinaryReader {
  const writer = new RowBinaryWriter();
  write(writer);
  return new RowBinaryReader(writer.bytes);
}

describe('RowBinaryReader', () => {
  it('reads any text that was written, lone surrogates too, however often it comes again', () => {
    // More texts than slots, so that they take each other's place.
    const texts = fc.array(fc.oneof(anyText, fc.string({ minLength: 90, maxLength: 100 })), { maxLength: 60 });
    fc.assert(
      fc.property(texts, (all) => {
        const twice = [...all, ...all, ...Array.from({ length: 3000 }, (_, index) => `r-${index}`), ...all];
        const reader = written((writer) => {
          for (const text of twice) writer.string(text);
        });
        expect(twice.map(() => reader.string())).toEqual(twice);
        expect(reader.isAtEnd).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('reads numbers to their bounds', () => {
    const numbers = [0, -1, 1, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    const reader = written((writer) => {
      for (const number of numbers) writer.int64(number);
      writer.int32(-(2 ** 31));
      writer.uint32(2 ** 32 - 1);
      for (const number of [Number.NaN, -0, Number.NEGATIVE_INFINITY]) writer.float64(number);
      writer.varint(2 ** 40);
    });
    expect(numbers.map(() => reader.int64())).toEqual(numbers);
    expect([reader.int32(), reader.uint32()]).toEqual([-(2 ** 31), 2 ** 32 - 1]);
    expect([reader.float64(), reader.float64(), reader.float64()]).toEqual([Number.NaN, -0, Number.NEGATIVE_INFINITY]);
    expect(reader.varint()).toBe(2 ** 40);
  });

  it('reads lists and maps, a key named __proto__ too', () => {
    const map = Object.fromEntries([
      ['a', 'x'],
      ['__proto__', null],
    ]);
    const reader = written((writer) => {
      writer.array(['a', '', 'é'], (to, text) => to.string(text));
      writer.map(map, asNullableString);
      writer.packed(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]), 4);
    });
    expect(reader.array((from) => from.string())).toEqual(['a', '', 'é']);
    expect(Object.entries(reader.map((from) => from.nullableString()))).toEqual([
      ['a', 'x'],
      ['__proto__', null],
    ]);
    expect(reader.packed(4)).toEqual(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]));
  });

  it('tells whether the same bytes come next, and then steps over them', () => {
    const reader = written((writer) => {
      for (const text of ['unit', 'unit', 'Unit', 'un']) writer.string(text);
    });
    reader.string();
    expect(reader.repeats(0, 5)).toBe(true);
    expect(reader.repeats(0, 5)).toBe(false);
    expect(reader.string()).toBe('Unit');
    expect(reader.repeats(0, 5)).toBe(false);
    expect(reader.string()).toBe('un');
  });

  it('throws where a row ends before its columns do', () => {
    expect(() => new RowBinaryReader(Uint8Array.of(5, 97)).string()).toThrow('ends before');
    expect(() => new RowBinaryReader(Uint8Array.of(1, 2, 3)).int32()).toThrow('ends before');
  });
});
