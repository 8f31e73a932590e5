import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RowBinaryWriter } from '../../../src/clickhouse/row-binary.ts';
import { asFloat64, asNullableFloat64, asNullableString, asString } from '../../../src/clickhouse/value-writers.ts';
import { anyText } from './schema-arbitrary.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

/** The engine's own reading of what the writer wrote. */
async function readBack<Row extends object>(
  writer: RowBinaryWriter,
  structure: string,
  select: string,
): Promise<Row[]> {
  const path = join(temporary.folder, 'written.bin');
  await writeFile(path, writer.bytes);
  return temporary.store.query<Row>(`SELECT ${select} FROM file('${path}', 'RowBinary', '${structure}')`);
}

test('strings of any code units come back as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 30 }), async (texts) => {
      const writer = new RowBinaryWriter(1);
      for (const text of texts) writer.string(text);
      const rows = await readBack<{ s: string }>(writer, 's String', 's');
      expect(rows.map(({ s }) => s)).toEqual(texts);
    }),
    { numRuns: 30 },
  );
});

test('bytes are kept as they are, valid UTF-8 or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1 }), async (values) => {
      const writer = new RowBinaryWriter(1);
      for (const value of values) writer.blob(value);
      const rows = await readBack<{ h: string }>(writer, 's String', 'hex(s) AS h');
      expect(rows.map(({ h }) => h.toLowerCase())).toEqual(values.map((value) => Buffer.from(value).toString('hex')));
    }),
    { numRuns: 30 },
  );
});

test('numbers of each width come back as they were, to the bit', async () => {
  const row = fc.record({
    i: fc.integer(),
    u: fc.nat(0xffffffff),
    l: fc.maxSafeInteger(),
    d: fc.double(),
    b: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1 }), async (rows) => {
      const writer = new RowBinaryWriter(1);
      for (const { i, u, l, d, b } of rows) {
        writer.int32(i);
        writer.uint32(u);
        writer.int64(l);
        writer.float64(d);
        writer.bool(b);
      }
      const found = await readBack<{ i: number; u: number; l: number; bits: string; b: boolean }>(
        writer,
        'i Int32, u UInt32, l Int64, d Float64, b Bool',
        'i, u, l, toString(reinterpretAsUInt64(d)) AS bits, b',
      );
      const bitsOf = (value: number): string => {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleLE(value);
        return bytes.readBigUInt64LE().toString();
      };
      expect(found).toEqual(rows.map(({ d, ...rest }) => ({ ...rest, bits: bitsOf(d) })));
    }),
    { numRuns: 30 },
  );
});

test('packed arrays, nested arrays, nullables and maps come back as they were', async () => {
  const row = fc.record({
    ids: fc.array(fc.nat(0xffffffff), { maxLength: 300 }),
    names: fc.array(fc.option(anyText)),
    numbers: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,5}$/),
      fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      {
        noNullPrototype: true,
      },
    ),
    nested: fc.array(fc.array(anyText, { maxLength: 4 }), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      const writer = new RowBinaryWriter(1);
      for (const { ids, names, numbers, nested } of rows) {
        writer.packed(Buffer.from(new Uint32Array(ids).buffer), 4);
        writer.array(names, asNullableString);
        writer.map(numbers, asNullableFloat64);
        writer.array(nested, (inner, texts) => inner.array(texts, asString));
      }
      const structure =
        'ids Array(UInt32), names Array(Nullable(String)), numbers Map(String, Nullable(Float64)), nested Array(Array(String))';
      expect(await readBack(writer, structure, '*')).toEqual(rows);
    }),
    { numRuns: 30 },
  );
});

test('a long array has a length of several bytes', async () => {
  const writer = new RowBinaryWriter();
  writer.array(
    Array.from({ length: 20_000 }, (_, index) => index / 3),
    asFloat64,
  );
  const rows = await readBack<{ n: number; last: number }>(writer, 'a Array(Float64)', 'length(a) AS n, a[-1] AS last');
  expect(rows).toEqual([{ n: 20_000, last: 19_999 / 3 }]);
});

test('the version of a row is its term × 2^48 + offset, exact beyond 2^53', async () => {
  const writer = new RowBinaryWriter();
  writer.version(1, 5);
  writer.version(65_535, 2 ** 48 - 1);
  writer.version(40, 2 ** 33 + 7);
  const rows = await readBack<{ v: string }>(writer, 'v UInt64', 'toString(v) AS v');
  expect(rows.map(({ v }) => BigInt(v))).toEqual([
    (1n << 48n) + 5n,
    (65_535n << 48n) + (1n << 48n) - 1n,
    (40n << 48n) + (1n << 33n) + 7n,
  ]);
});

test('what would be rounded or overflow is refused', () => {
  const writer = new RowBinaryWriter();
  expect(() => writer.int64(2 ** 53)).toThrow(RangeError);
  expect(() => writer.int64(1.5)).toThrow(RangeError);
  expect(() => writer.version(65_536, 0)).toThrow(RangeError);
  expect(() => writer.version(1, 2 ** 48)).toThrow(RangeError);
  expect(() => writer.packed(new Uint8Array(5), 4)).toThrow(RangeError);
});
