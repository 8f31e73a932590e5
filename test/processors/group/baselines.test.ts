import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SCOPE } from '../../../processors/decide/policy-sections.ts';
import { baselineOf } from '../../../processors/group/baselines.ts';
import type { GroupRule } from '../../../processors/model/policy.ts';

const GRPO: GroupRule = DEFAULT_SCOPE.group;

describe('advantages', () => {
  it('of GRPO, by hand: rewards 1, 0, 0, 1 with ddof 1 and eps 1e-6', () => {
    // mean 0.5; squares 4 × 0.25 = 1; std sqrt(1/3) = 0.5773502691896257; 0.5 / 0.5773512691896257.
    const { advantages, stats } = baselineOf([1, 0, 0, 1], GRPO);
    for (const [i, sign] of [1, -1, -1, 1].entries()) expect(advantages[i]).toBeCloseTo(sign * 0.866023903787036, 14);
    expect(stats).toMatchObject({ baseline: 'grpo', n: 4, mean: 0.5 });
    expect(stats.std).toBeCloseTo(0.5773502691896257, 15);
  });

  it('with ddof 0, by hand: rewards 2, 0 have std 1', () => {
    expect(baselineOf([2, 0], { ...GRPO, ddof: 0, eps: 0 }).advantages).toEqual([1, -1]);
  });

  it('without std, and of the mean, are the differences', () => {
    expect(baselineOf([3, 0, 0], { ...GRPO, divideByStd: false })).toMatchObject({
      advantages: [2, -1, -1],
      stats: { baseline: 'grpo_without_std' },
    });
    expect(baselineOf([3, 0, 0], { ...GRPO, baseline: 'mean' }).advantages).toEqual([2, -1, -1]);
  });

  it('leave-one-out: each against the mean of the others', () => {
    // 3 - (1 + 2) / 2; 1 - (3 + 2) / 2; 2 - (3 + 1) / 2.
    expect(baselineOf([3, 1, 2], { ...GRPO, baseline: 'leave_one_out' }).advantages).toEqual([1.5, -1.5, 0]);
  });

  it('without spread are 0, float noise included (case 99)', () => {
    for (const rewards of [[0.3, 0.30000000000000004, 0.3], [1, 1, 1, 1], [0.7]])
      for (const baseline of ['grpo', 'mean', 'leave_one_out'] as const)
        expect(baselineOf(rewards, { ...GRPO, baseline }).advantages).toEqual(rewards.map(() => 0));
  });

  it('of no baseline are null', () => {
    expect(baselineOf([1, 0], { ...GRPO, baseline: 'none' }).advantages).toEqual([null, null]);
    expect(baselineOf([], GRPO)).toMatchObject({
      advantages: [],
      stats: { baseline: 'grpo', n: 0, mean: null, std: null },
    });
  });

  it('are finite or null for any finite rewards; NaN never leaves', () => {
    const rewards = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 8 });
    fc.assert(
      fc.property(
        rewards,
        fc.constantFrom('grpo' as const, 'mean' as const, 'leave_one_out' as const),
        (values, baseline) => {
          const { advantages, stats } = baselineOf(values, { ...GRPO, baseline });
          for (const value of [...advantages, stats.mean, stats.std])
            expect(value === null || Number.isFinite(value)).toBe(true);
        },
      ),
    );
  });
});
