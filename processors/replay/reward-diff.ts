import { MOST_PAIRS } from './diff-limits.ts';
import type { RewardDiff } from './diff-tally.ts';
import { createPairCounts } from './pair-counts.ts';

/** Null is not 0: a reward that is not valid is none. */
export function validReward(row: { readonly reward: number | null; readonly reward_valid: boolean }): number | null {
  return row.reward_valid ? row.reward : null;
}

export interface RewardCounts {
  /** True: it changed. */
  add(before: number | null, after: number | null, rolloutId: string): boolean;
  diff(): RewardDiff;
}

export function createRewardDiff(): RewardCounts {
  const pairs = createPairCounts<number | null>(MOST_PAIRS);
  let changed = 0;
  let both = 0;
  let sumBefore = 0;
  let sumAfter = 0;
  let signFlips = 0;
  return {
    add(before, after, rolloutId) {
      pairs.add(before, after, rolloutId);
      if (before !== null && after !== null) {
        both++;
        sumBefore += before;
        sumAfter += after;
        if (signOf(before) !== signOf(after)) signFlips++;
      }
      if (before === after) return false;
      changed++;
      return true;
    },
    diff: () => ({
      ...{ matrix: pairs.cells(), other: pairs.other(), changed, both, sum_before: sumBefore, sum_after: sumAfter },
      sign_flips: signFlips,
    }),
  };
}

/** (Math.sign tells -0 from 0.) */
function signOf(value: number): number {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
