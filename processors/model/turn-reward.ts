import type { Attempt } from './attempt.ts';

/** Reward bound to one model call: the sum of what verdicts of that turn scored; null without one, or where one is missing. */
export function turnRewardOf(attempt: Attempt, turn: number): number | null {
  let sum: number | null = null;
  for (const { boundTo, status, rewards } of attempt.verdicts) {
    if (boundTo !== turn || status !== 'scored') continue;
    for (const value of Object.values(rewards)) {
      if (value === null) return null;
      sum = (sum ?? 0) + value;
    }
  }
  return sum === null || !Number.isFinite(sum) ? null : sum;
}
