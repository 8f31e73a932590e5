import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/ingest/exact-json.ts';
import { ExactNumber, type JsonValue } from '../../../src/ingest/exact-number.ts';
import { extraJson, joined, jsonText } from '../../../src/ingest/json-text.ts';

const objects = () =>
  fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '1', '0', '__proto__', 'toString'),
    fc.constantFrom(1, null, 'x', undefined),
  );

describe('objects that are joined', () => {
  it('are what spreads in a literal make of them: entries, their order, and what goes before what', () => {
    fc.assert(
      fc.property(objects(), objects(), objects(), (a, b, c) => {
        expect(Object.entries(joined(a, undefined, b, c))).toEqual(Object.entries({ ...a, ...b, ...c }));
      }),
    );
  });
});

describe('what is kept beside an event', () => {
  it('leaves out what is not there', () => {
    expect(extraJson({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
    expect(extraJson({ a: undefined })).toBeNull();
    expect(extraJson({})).toBeNull();
  });

  it('keeps the digits of long integers beside entries that are not there', () => {
    const id = new ExactNumber('12345678901234567890');
    expect(extraJson({ a: undefined, id, deep: { ids: [id] } })).toBe(
      '{"id":12345678901234567890,"deep":{"ids":[12345678901234567890]}}',
    );
  });

  it('is read again as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed = parseExact(JSON.stringify({ value, none: undefined }));
        const read: JsonValue = parsed.kind === 'json' ? parsed.value : null;
        expect(extraJson({ none: undefined, read })).toBe(`{"read":${jsonText(read)}}`);
      }),
    );
  });
});
