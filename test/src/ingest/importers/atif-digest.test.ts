import { expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/ingest/exact-number.ts';
import { digestOf } from '../../../../src/ingest/importers/atif-digest.ts';

const many = (last: JsonValue): JsonValue[] => [...Array.from({ length: 40 }, (_, i) => i / 3), last];

it('tells documents apart by any value: a text, one number of many, a hole in them, the kind of a list', () => {
  const values: JsonValue[] = [
    { text: 'a', ids: many(1) },
    { text: 'b', ids: many(1) },
    { text: 'a', ids: many(1 + Number.EPSILON) },
    { text: 'a', ids: many(null) },
    { text: 'a', ids: many(0) },
    { text: 'a', ids: many(-0) },
    { text: 'a', ids: '41 numbers' },
    { text: 'a', ids: [] },
    [many(1), many(2)],
    [many(2), many(1)],
  ];
  expect(new Set(values.map(digestOf)).size).toBe(values.length);
});

it('is the same for the same values, however they were laid out', () => {
  const text = JSON.stringify({ a: many(1), b: { c: 'x' } });
  expect(digestOf(JSON.parse(text))).toBe(digestOf(JSON.parse(JSON.stringify(JSON.parse(text), null, 2))));
});
