import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExact, parseExactBytes } from '../../../src/ingest/exact-json.ts';
import { cutNumberLists } from '../../../src/ingest/number-lists.ts';

function repeated(text: string, times = 20): string {
  return Array.from({ length: times }, () => text).join(',');
}

/** The lists of a text, without the text around them. */
function listsOf(text: string): readonly (number | null)[][] {
  return cutNumberLists(Buffer.from(text))?.lists ?? [];
}

describe('a list of numbers is what JSON.parse makes of it, to the bit', () => {
  const numbers = fc.oneof(
    fc.integer({ min: 0, max: 999_999_999 }).map(String),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.double({ min: -20, max: 0, noNaN: true }).map((value) => value.toFixed(6)),
    fc.constantFrom('null', '-0', '0.0', '-0.0', '1E-7', '1e-07', '0.10', '12345678901', '1e5', '1e-400'),
  );
  const separators = fc.constantFrom(',', ', ', ' ,\n\t', ',\r\n');

  test.each([
    ['of all kinds', fc.array(numbers, { maxLength: 60 })],
    ['of ids', fc.array(fc.integer({ min: 0, max: 151_936 }).map(String), { minLength: 16, maxLength: 60 })],
    [
      'of logprobs',
      fc.array(fc.float({ min: -20, max: 0, noNaN: true }).map(String), { minLength: 16, maxLength: 60 }),
    ],
  ])('%s', (_, lists) => {
    fc.assert(
      fc.property(lists, separators, (items, separator) => {
        const text = `{"a": [${items.join(separator)}], "b": [[${items.join(separator)}], "x"]}`;
        const expected: unknown = JSON.parse(text);
        const read = parseExactBytes(Buffer.from(text));
        // Numbers that a double does not hold are told as such by both (exact-json.test.ts).
        expect(read).toEqual(parseExact(text));
        if (listsOf(text).length > 0) expect(read).toMatchObject({ value: expected });
      }),
      { numRuns: 400 },
    );
  });

  test('a list longer than one block', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => i * 7);
    const logprobs = Array.from({ length: 20_000 }, (_, i) => (i % 1000 === 0 ? null : -i / 7));
    const text = JSON.stringify({ ids, logprobs });
    expect(listsOf(text)).toEqual([ids, logprobs]);
    expect(parseExactBytes(Buffer.from(text))).toMatchObject({ kind: 'json', value: { ids, logprobs } });
  });
});

describe('what is no list of ordinary numbers stays in the text', () => {
  test.each([
    ['a short list', '1,2,3'],
    ['words', repeated('"a"')],
    ['a leading zero', `${repeated('1')},01`],
    ['a leading zero before a point', `${repeated('1.5')},01.5`],
    ['a point that nothing follows', repeated('1.')],
    ['a point that nothing precedes', repeated('.5')],
    ['a plus', repeated('+1')],
    ['a minus alone', repeated('-')],
    ['an exponent without digits', repeated('1e-')],
    ['NaN', `${repeated('0.5')},NaN`],
    ['nothing between two commas', `${repeated('1')},,1`],
    ['a comma at the end', `${repeated('1')},`],
    ['an integer beyond 2^53', `${repeated('1')},9007199254740993`],
    ['more digits than a double has', `${repeated('0.5')},0.1234567890123456789`],
    ['a list within', `${repeated('1')},[1]`],
  ])('%s', (_, items) => {
    const text = `{"a":[${items}]}`;
    expect(listsOf(text)).toEqual([]);
    expect(parseExactBytes(Buffer.from(text))).toEqual(parseExact(text));
  });

  test('a list that the bytes end in', () => {
    const text = `{"a":[1],"b":[${repeated('1')}`;
    expect(parseExactBytes(Buffer.from(text))).toEqual(parseExact(text));
    const digits = `{"a":[${repeated('0.5')},0.1234`;
    expect(parseExactBytes(Buffer.from(digits))).toEqual(parseExact(digits));
  });
});

describe('a record is the same with its lists read apart', () => {
  const list = repeated('7');
  test.each([
    ['a list in a string', `{"a":"see [${list}]","b":[${list}]}`],
    ['a string that begins like a list', `{"a":":[${list}]"}`],
    ['a list in a key', `{"[${list}]":[${list}]}`],
    ['a key that comes twice', `{"a":[${list}],"a":[${list},8]}`],
    ['the key __proto__', `{"__proto__":[${list}]}`],
    ['lists in lists', `{"a":[[${list}],[${list}],{"b":[${list}]}]}`],
    ['a list alone', `[${list}]`],
    ['an integer beyond 2^53 beside it', `{"a":[${list}],"b":9007199254740993}`],
    ['text that is not ASCII', `{"ä":[${list}],"中":"[${list}] 中"}`],
    ['what is no JSON', `{"a":[${list}],}`],
    ['nested as deep as may be', `${'{"a":'.repeat(499)}[${list}]${'}'.repeat(499)}`],
    ['nested deeper', `${'{"a":'.repeat(500)}[${list}]${'}'.repeat(500)}`],
    ['nested deeper by one', `${'{"a":'.repeat(501)}[${list}]${'}'.repeat(501)}`],
  ])('%s', (_, text) => {
    const read = parseExactBytes(Buffer.from(text));
    expect(read).toEqual(parseExact(text));
    if (read?.kind === 'json') expect(JSON.stringify(read.value)).toBe(JSON.stringify(value(text)));
  });

  test('bytes that are not UTF-8 are none', () => {
    const bytes = Buffer.from(`{"a":[${list}],"b":"?"}`);
    bytes[bytes.length - 3] = 0xff;
    expect(parseExactBytes(bytes)).toBeNull();
  });
});

function value(text: string): unknown {
  const parsed = parseExact(text);
  return parsed.kind === 'json' ? parsed.value : undefined;
}
