import type { GroupStats } from '../../schemas/generated/trajectory.ts';
import type { GroupRule } from '../model/policy.ts';

/** Advantages of a group, and what they were computed from. */
export interface Baseline {
  /** Of the rewards in the baseline, in their order; null: there is no baseline, or it is beyond what a double holds. */
  readonly advantages: ReadonlyArray<number | null>;
  /** Of a member that trains, and is not in the baseline. */
  readonly ofOther: (reward: number) => number | null;
  readonly stats: GroupStats;
  /** Its rewards differ by more than the tolerance. */
  readonly hasSpread: boolean;
}

/**
 * With the rewards R in the baseline, n of them, mean m, and s their standard deviation with `ddof`:
 * `mean`: r − m. `leave_one_out` (RLOO, arXiv:2402.14740): r − mean of the others. `grpo` (arXiv:2402.03300): (r − m) / (s + eps),
 * eps outside the root as in TRL and verl; without std r − m (Dr. GRPO, arXiv:2503.20783). `none`: null.
 * Without spread, or with too few members for s, it is 0: nothing can be learnt.
 * A member out of the baseline (in_baseline: false) is measured by the same formula against R, where it is not: r − m, or
 * (r − m) / (s + eps); leave_one_out leaves nobody out. Where s is of no spread there is no scale, and it is 0.
 */
export function baselineOf(rewards: readonly number[], rule: GroupRule): Baseline {
  const n = rewards.length;
  const mean = n === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0) / n;
  const std = mean !== null && n > rule.ddof ? Math.sqrt(sumOfSquares(rewards, mean) / (n - rule.ddof)) : null;
  const isScaled = rule.baseline === 'grpo' && rule.divideByStd;
  const hasSpread = isSpread(rewards, rule.tolerance);
  const scale = !isScaled ? 1 : hasSpread && std !== null ? std + rule.eps : null;

  const differenceOf = (reward: number, m: number): number =>
    rule.baseline === 'leave_one_out' ? reward - (m * n - reward) / (n - 1) : reward - m;
  const advantageOf = (reward: number): number | null => {
    if (rule.baseline === 'none' || mean === null) return null;
    return hasSpread && scale !== null ? differenceOf(reward, mean) / scale : 0;
  };
  const ofOther = (reward: number): number | null => {
    if (rule.baseline === 'none' || mean === null) return null;
    return scale === null ? 0 : (reward - mean) / scale;
  };
  return {
    advantages: rewards.map((reward) => finiteOrNull(advantageOf(reward))),
    ofOther: (reward) => finiteOrNull(ofOther(reward)),
    stats: {
      baseline: rule.baseline === 'grpo' && !rule.divideByStd ? 'grpo_without_std' : rule.baseline,
      n,
      mean: finiteOrNull(mean),
      std: finiteOrNull(std),
    },
    hasSpread,
  };
}

/** Not only float noise: [0.3, 0.30000000000000004, 0.3] has a std of 3e-17, which eps alone would not hide (OpenRLHF#1272). */
function isSpread(rewards: readonly number[], tolerance: number): boolean {
  if (rewards.length < 2) return false;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const reward of rewards) {
    if (reward < lowest) lowest = reward;
    if (reward > highest) highest = reward;
  }
  return highest - lowest > tolerance * Math.max(1, Math.abs(lowest), Math.abs(highest));
}

/** Finite rewards may still sum to more than a double holds; NaN never leaves. */
function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

function sumOfSquares(rewards: readonly number[], mean: number): number {
  return rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
}
