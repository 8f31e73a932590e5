import type { GroupStats } from '../../schemas/generated/trajectory.ts';
import type { GroupRule } from '../model/policy.ts';

/** Advantage of each reward of a group against its baseline, and what it was computed from. */
export interface Baseline {
  readonly advantages: ReadonlyArray<number | null>;
  readonly stats: GroupStats;
}

/**
 * Rewards of the members in the baseline. GRPO (arXiv:2402.03300): (r - mean) / (std + eps), std with ddof, eps outside the root
 * as in TRL and verl. Without enough members for a std, or without spread, the advantage is 0: nothing can be learnt.
 */
export function baselineOf(rewards: readonly number[], rule: GroupRule): Baseline {
  const n = rewards.length;
  const mean = n === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0) / n;
  const std = mean !== null && n > rule.ddof ? Math.sqrt(sumOfSquares(rewards, mean) / (n - rule.ddof)) : null;
  const name = rule.baseline === 'grpo' && !rule.divideByStd ? 'grpo_without_std' : rule.baseline;
  return {
    advantages: rewards.map((reward) => finiteOrNull(advantageOf(reward, rewards, mean, std, rule))),
    stats: { baseline: name, n, mean: finiteOrNull(mean), std: finiteOrNull(std) },
  };
}

function advantageOf(
  reward: number,
  rewards: readonly number[],
  mean: number | null,
  std: number | null,
  rule: GroupRule,
): number | null {
  if (rule.baseline === 'none' || mean === null) return null;
  if (hasNoSpread(rewards)) return 0;
  if (rule.baseline === 'leave_one_out') {
    const others = rewards.length - 1;
    return reward - (mean * rewards.length - reward) / others;
  }
  if (rule.baseline === 'mean' || !rule.divideByStd) return reward - mean;
  return std === null ? 0 : (reward - mean) / (std + rule.eps);
}

/** Equal up to float noise: [0.3, 0.30000000000000004, 0.3] has a std of 3e-17, which eps alone would not hide (OpenRLHF#1272). */
function hasNoSpread(rewards: readonly number[]): boolean {
  const lowest = Math.min(...rewards);
  const highest = Math.max(...rewards);
  return highest - lowest <= 1e-9 * Math.max(1, Math.abs(lowest), Math.abs(highest));
}

/** Finite rewards may still sum to more than a double holds; NaN never leaves. */
function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

function sumOfSquares(rewards: readonly number[], mean: number): number {
  return rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
}
