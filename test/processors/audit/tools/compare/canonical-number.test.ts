import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalNumber } from '../../../../../processors/audit/tools/compare/canonical-number.ts';

it.each([
  ['1.0', '1'],
  ['10e-1', '1'],
  ['-0.0', '0'],
  ['100', '100'],
  ['0.10', '0.1'],
  ['1e-3', '0.001'],
  ['12.5e1', '125'],
  ['9007199254740993', '9007199254740993'],
  ['1e400', '1e400'],
  ['10e399', '1e400'],
])('%s is %s', (text, canonical) => {
  expect(canonicalNumber(text)).toBe(canonical);
});

it('all spellings of a double are one text, and different doubles are two', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(finite, finite, (a, b) => {
      expect(canonicalNumber(a.toExponential())).toBe(canonicalNumber(JSON.stringify(a)));
      expect(Number(canonicalNumber(JSON.stringify(a)))).toBe(a === 0 ? 0 : a);
      expect(canonicalNumber(JSON.stringify(a)) === canonicalNumber(JSON.stringify(b))).toBe(a === b);
    }),
  );
});
