import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../../processors/model/compare-versions.ts';

describe('the version of a scorer', () => {
  it('is higher by the numbers in its name, from the left; what has more parts is higher than what it begins with', () => {
    const rising = ['', '0.9', '1', '01.5', '1.2', '1.10', '2', '10', 'v2', 'v2-rc', 'v9', 'v10', 'v10.1'];
    // `01` is the number 1: told from `1` by what follows.
    const order = ['', '0.9', '1', '1.2', '01.5', '1.10', '2', '10', 'v2', 'v2-rc', 'v9', 'v10', 'v10.1'];
    expect([...rising].sort(compareVersions)).toEqual(order);
    expect(compareVersions('99999999999999999999', '100000000000000000000')).toBeLessThan(0);
  });

  it('has a place of its own: no two names are equal, whatever they are', () => {
    const name = fc.stringMatching(/^[0-9a-z.]{0,6}$/);
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(compareVersions(a, b) === 0).toBe(a === b);
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
