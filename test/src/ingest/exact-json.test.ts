import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExact } from '../../../src/ingest/exact-json.ts';
import { ExactNumber } from '../../../src/ingest/exact-number.ts';
import { jsonText } from '../../../src/ingest/json-text.ts';
import { MAX_DEPTH, parseSlowly } from '../../../src/ingest/slow-json.ts';

function parsed(text: string) {
  const result = parseExact(text);
  if (result.kind === 'malformed') throw new Error(result.message);
  return result.value;
}

describe('parseExact', () => {
  test('bare NaN and infinities are kept as what they are', () => {
    expect(parsed('{"a":NaN,"b":[Infinity,-Infinity],"c":1}')).toEqual({
      a: new ExactNumber('NaN'),
      b: [new ExactNumber('Infinity'), new ExactNumber('-Infinity')],
      c: 1,
    });
  });

  test('integers beyond 2^53 keep their digits, in negative too, and 2^53 - 1 is an ordinary number', () => {
    expect(parsed('[9007199254740993,-9007199254740993,9007199254740991]')).toEqual([
      new ExactNumber('9007199254740993'),
      new ExactNumber('-9007199254740993'),
      9007199254740991,
    ]);
  });

  test('a number that overflows a double is not silently infinite', () => {
    expect(parsed('{"a":1e999}')).toEqual({ a: new ExactNumber('1e999') });
  });

  test('a large float is a number', () => {
    expect(parsed('[1e300]')).toEqual([1e300]);
  });

  test('a lone surrogate stays one', () => {
    expect(parsed('{"a":"\\ud83d"}')).toEqual({ a: '\ud83d' });
  });

  test('a key that comes twice is named, the last value counts', () => {
    expect(parseExact('{"a":{"b":1,"b":2}}')).toEqual({ kind: 'json', value: { a: { b: 2 } }, duplicateKeys: ['a.b'] });
  });

  test('a key that ends in a backslash and one with a space before its colon are no duplicates', () => {
    expect(parseExact('{"a\\\\":1,"b" :2}')).toEqual({ kind: 'json', value: { 'a\\': 1, b: 2 }, duplicateKeys: [] });
  });

  test('__proto__ is a key like any other', () => {
    const value = parsed('{"__proto__":NaN}');
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect(jsonText(value)).toBe('{"__proto__":{"$number":"NaN"}}');
  });

  test.each([
    ['{"a":1', 'expected a comma or } in an object, at the end of the line'],
    ['{"a":"xy', 'a string that does not end, at character 6'],
    ['{"a":tru}', 'expected a value, at character 6'],
    ['{a:1}', 'expected a key in double quotes, at character 2'],
    ['{"a":1} x', 'text after the end of the value, at character 9'],
    ['{"a":01}', 'expected a comma or } in an object, at character 7'],
    ['["\\x"]', 'a string with a bad escape or a control character, at character 2'],
  ])('%s says where it stops', (text, message) => {
    expect(parseExact(text)).toEqual({ kind: 'malformed', message });
  });

  test('what is nested deeper than a stack can follow is refused, by either parser', () => {
    const deep = (inner: string, levels: number) => '['.repeat(levels) + inner + ']'.repeat(levels);
    const message = `nested deeper than ${MAX_DEPTH} levels`;
    expect(parseExact(deep('1', 100_000))).toEqual({ kind: 'malformed', message });
    expect(parseExact(deep('NaN', 100_000))).toEqual({ kind: 'malformed', message });
    expect(parseExact(deep('NaN', 400)).kind).toBe('json');
  });

  test('both parsers read what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.boolean(), (text, spaced) => {
        const written = spaced ? JSON.stringify(JSON.parse(text), null, 1) : text;
        // Integers that a double rounds are the difference between the two.
        fc.pre(!/\d{16}/.test(written));
        const expected = { kind: 'json', value: JSON.parse(written), duplicateKeys: [] };
        expect(parseSlowly(written)).toEqual(expected);
        expect(parseExact(written)).toEqual(expected);
      }),
    );
  });
});

describe('jsonText', () => {
  test('integers keep their digits, NaN cannot be mistaken for a string, lone surrogates stay escaped', () => {
    expect(jsonText(parsed('{"a":[9007199254740993,NaN,"NaN"],"b":"\\ud83d"}'))).toBe(
      '{"a":[9007199254740993,{"$number":"NaN"},"NaN"],"b":"\\ud83d"}',
    );
  });
});
