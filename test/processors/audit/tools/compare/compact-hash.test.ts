import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compactHash } from '../../../../../processors/audit/tools/compare/compact-hash.ts';

const HASH_OF: Readonly<Record<string, string>> = { '[1 2]': '[12]', '{"a": "b c"}': '{"a": "bc"}', tr: 't r' };

it('blanks that mean nothing change nothing, whatever the JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(1, 3, '\t', ' \n'), (value, indent) => {
      const spaced = ` ${JSON.stringify(value, null, indent)}\r\n`;
      expect(compactHash(spaced)).toBe(compactHash(JSON.stringify(value)));
    }),
  );
});

it('different values have different hashes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
      expect(compactHash(left) === compactHash(right)).toBe(left === right);
    }),
  );
});

it('blanks that stand between two words, or in a text, count', () => {
  for (const [a, b] of Object.entries(HASH_OF)) expect(compactHash(a)).not.toBe(compactHash(b));
  expect(compactHash('"a\\" b"')).not.toBe(compactHash('"a\\"b"'));
  expect(compactHash('"\\\\" ')).toBe(compactHash('"\\\\"'));
});

it('what is no JSON never hashes as some that is', () => {
  const characters = fc.string({ unit: fc.constantFrom(...'[]{}:, "\\1-.et\n'), maxLength: 12 });
  fc.assert(
    fc.property(characters, fc.jsonValue(), (text, value) => {
      fc.pre(!isJson(text));
      expect(compactHash(text)).not.toBe(compactHash(JSON.stringify(value)));
    }),
  );
  // One blank more leaves the hash alone only where it leaves the value alone.
  const spaced = fc.jsonValue().map((value) => JSON.stringify(value, null, 1));
  fc.assert(
    fc.property(spaced, fc.nat(), (text, place) => {
      const at = place % (text.length + 1);
      const wider = `${text.slice(0, at)} ${text.slice(at)}`;
      if (compactHash(wider) === compactHash(text)) expect(JSON.parse(wider)).toEqual(JSON.parse(text));
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
