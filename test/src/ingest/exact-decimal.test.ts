import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeNearest } from '../../../src/ingest/exact-decimal.ts';

const out = new Float64Array(1);

/** `digits` as they stand in a text, the last `places` of them behind the point. */
function nearest(digits: string, places: number): number {
  const b = digits.slice(9);
  writeNearest(out, 0, Number(digits.slice(0, 9)), Number(b), b.length, places);
  return out[0] ?? 0;
}

const digits = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 17 }))
  .map(([first, others]) => [first, ...others].join(''));

test('up to eighteen digits with up to 44 places are the double that Number reads', () => {
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 44 }), (text, places) => {
      expect(nearest(text, places)).toBe(Number(`${text}e-${places}`));
    }),
    { numRuns: 20_000 },
  );
});

test('what an engine prints of a float32 is the double that Number reads', () => {
  fc.assert(
    fc.property(fc.float({ min: Math.fround(1e-25), max: 100, noNaN: true }), (value) => {
      const [, whole = '', part = '', exponent = '0'] = /^(\d+)\.?(\d*)(?:e-(\d+))?$/.exec(String(value)) ?? [];
      const significant = `${whole}${part}`.replace(/^0+/, '') || '0';
      fc.pre(significant.length <= 18);
      expect(nearest(significant, part.length + Number(exponent))).toBe(value);
    }),
    { numRuns: 20_000 },
  );
});

/** (2n + 1) / 2^54, for n of 53 bits, lies in the middle between two doubles: its first eighteen digits lie hardly beside it. */
test('near the middle between two doubles it is the double that Number reads, or not told', () => {
  let told = 0;
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), (n) => {
      const middle = (((2n * n + 1n) * 10n ** 18n) >> 54n).toString().padStart(18, '0');
      const value = nearest(middle, 18);
      if (!Number.isNaN(value)) {
        expect(value).toBe(Number(`0.${middle}`));
        told++;
      }
    }),
    { numRuns: 5_000 },
  );
  expect(told).toBeGreaterThan(4_900);
});

test('the middle between two doubles is not told', () => {
  // 2^53 + 1 lies between 2^53 and 2^53 + 2.
  expect(nearest('9007199254740993', 0)).toBeNaN();
  expect(nearest('90071992547409930', 1)).toBeNaN();
  expect(nearest('9007199254740994', 0)).toBe(9007199254740994);
});

test('more places than the powers of ten that are held are not told', () => {
  expect(nearest('1', 44)).toBe(1e-44);
  expect(nearest('1', 45)).toBeNaN();
});
