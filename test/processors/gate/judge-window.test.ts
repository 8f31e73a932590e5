import { describe, expect, it } from 'vitest';
import { type GateCount, judgeWindow } from '../../../processors/gate/judge-window.ts';
import { wilsonInterval } from '../../../processors/gate/wilson-interval.ts';
import type { GateLimit, GateRule } from '../../../processors/model/gate.ts';

const rule = (limits: Readonly<Record<string, Partial<GateLimit>>>, over: Partial<GateRule> = {}): GateRule => ({
  ...{ preflight: 0, window: 256, minCount: 32, ...over },
  limits: new Map(
    Object.entries(limits).map(([name, limit]) => [name, { max: null, min: null, becomes: 'hold', ...limit }]),
  ),
});
const counts = (trajectories: number, rates: Readonly<Record<string, GateCount>>) => ({
  trajectories,
  rates: new Map(Object.entries(rates)),
});
const verdictOf = (
  limits: Parameters<typeof rule>[0],
  trajectories: number,
  rates: Parameters<typeof counts>[1],
  census = false,
) => judgeWindow(counts(trajectories, rates), rule(limits), { census });

describe('the interval', () => {
  // By hand: 10 of 100: centre (0.1 + 3.8415/200) / 1.038415 = 0.114798, reach 0.059571.
  it.each([
    [10, 100, 0.0552, 0.1744],
    [1, 256, 0.0007, 0.0218],
    [0, 100, 0, 0.037],
    [100, 100, 0.963, 1],
    [0, 0, 0, 1],
  ])('of %i of %i is %f to %f', (hits, n, low, high) => {
    const interval = wilsonInterval(hits, n);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it('of nothing found begins at 0 exactly, and of all found ends at 1 exactly', () => {
    for (let n = 1; n < 500; n += 1) {
      expect(wilsonInterval(0, n).low).toBe(0);
      expect(wilsonInterval(n, n).high).toBe(1);
    }
  });
});

describe('a limit', () => {
  it('of at most 0 trips at one hit, and not at none', () => {
    const limits = { pipeline_drift: { max: 0 } };
    expect(verdictOf(limits, 256, { pipeline_drift: { n: 256, hits: 0 } }).verdict).toBe('pass');
    expect(verdictOf(limits, 256, { pipeline_drift: { n: 256, hits: 1 } }).verdict).toBe('hold');
  });

  it('of at most 1 % waits while the interval still reaches it', () => {
    const limits = { unknown_reasons: { max: 0.01 } };
    // 5 of 256: 0.84 % to 4.49 %; 6 of 256: 1.08 % to 5.02 %.
    expect(verdictOf(limits, 256, { unknown_reasons: { n: 256, hits: 5 } }).verdict).toBe('pass');
    expect(verdictOf(limits, 256, { unknown_reasons: { n: 256, hits: 6 } }).verdict).toBe('hold');
  });

  it('of at least 95 % trips when all of the interval is below it', () => {
    const limits = { auditable_coverage: { min: 0.95 } };
    // 92 of 100: 85.0 % to 95.89 %; 89 of 100: 81.4 % to 93.7 %.
    expect(verdictOf(limits, 100, { auditable_coverage: { n: 100, hits: 92 } }).verdict).toBe('pass');
    expect(verdictOf(limits, 100, { auditable_coverage: { n: 100, hits: 89 } }).verdict).toBe('hold');
  });

  it('says nothing of fewer than the minimum, or of what nobody looked at', () => {
    const limits = { pipeline_drift: { max: 0 } };
    const few = verdictOf(limits, 31, { pipeline_drift: { n: 31, hits: 31 } });
    expect(few).toMatchObject({ verdict: 'pass', enough: false, tripped: [] });
    expect(few.rates).toMatchObject([{ rate: 1, n: 31, hits: 31 }]);
    expect(verdictOf(limits, 32, {}).rates).toEqual([
      { limit: 'pipeline_drift', bound: 'max', bound_at: 0, rate: null, low: null, high: null, n: 0, hits: null },
    ]);
  });

  it('of a census is compared with the rate itself, however few there are', () => {
    const limits = { unknown_reasons: { max: 0.01 }, auditable_coverage: { min: 0.95 } };
    const census = verdictOf(
      limits,
      50,
      { unknown_reasons: { n: 50, hits: 1 }, auditable_coverage: { n: 50, hits: 47 } },
      true,
    );
    expect(census.tripped.map(({ limit, low, high }) => [limit, low, high])).toEqual([
      ['unknown_reasons', 0.02, 0.02],
      ['auditable_coverage', 0.94, 0.94],
    ]);
    expect(verdictOf(limits, 1, { unknown_reasons: { n: 1, hits: 0 } }, true).verdict).toBe('pass');
    expect(verdictOf({ unknown_reasons: { max: 0.5 } }, 2, { unknown_reasons: { n: 2, hits: 1 } }, true).verdict).toBe(
      'pass',
    );
  });
});

describe('a limit on a mean', () => {
  const limits = { match_kl: { max: 0.1 } };
  // Values 0.1 and 0.3 by turns: mean 0.2, s = 0.1 × sqrt(n / (n − 1)).
  const of = (n: number): GateCount => ({ n, sum: n * 0.2, sumOfSquares: (n / 2) * (0.01 + 0.09) });

  it('trips when its interval is beyond it', () => {
    const verdict = verdictOf(limits, 100, { match_kl: of(100) });
    expect(verdict.verdict).toBe('hold');
    expect(verdict.tripped[0]?.low).toBeCloseTo(0.2 - 1.96 * (0.1 / Math.sqrt(99)), 4);
    expect(verdictOf({ match_kl: { max: 0.19 } }, 100, { match_kl: of(100) }).verdict).toBe('pass');
  });

  it('has no interval of fewer values than the minimum count', () => {
    expect(verdictOf(limits, 100, { match_kl: of(30) })).toMatchObject({
      ...{ verdict: 'pass', rates: [{ n: 30, low: null, high: null, hits: null }] },
    });
  });
});

describe('the verdict', () => {
  it('is the worst of what tripped', () => {
    const hit = { n: 64, hits: 64, classes: ['x'] };
    const limits = {
      a: { max: 0, becomes: 'warn' },
      b: { max: 0, becomes: 'quarantine' },
      c: { max: 0, becomes: 'hold' },
    } as const;
    expect(verdictOf(limits, 64, { a: hit }).verdict).toBe('warn');
    expect(verdictOf(limits, 64, { a: hit, b: hit }).verdict).toBe('quarantine');
    expect(verdictOf(limits, 64, { a: hit, b: hit, c: hit }).verdict).toBe('hold');
  });

  it('holds where there is no class of findings to quarantine', () => {
    const limits = { unknown_reasons: { max: 0, becomes: 'quarantine' } } as const;
    expect(verdictOf(limits, 64, { unknown_reasons: { n: 64, hits: 9 } })).toMatchObject({
      ...{ verdict: 'hold', tripped: [{ becomes: 'hold' }] },
    });
  });
});
