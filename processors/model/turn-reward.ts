import type { HeldVerdict } from './attempt.ts';

const NONE: ReadonlyMap<number, number | null> = new Map();

/** Rewards bound to model calls, by turn, unweighted: the sum of what verdicts of that turn scored; null where one is missing, absent where none scored. */
export function turnRewardsOf(counting: readonly HeldVerdict[]): ReadonlyMap<number, number | null> {
  let rewards: Map<number, number | null> | null = null;
  for (const { boundTo, status, rewards: named } of counting) {
    if (boundTo === null || status !== 'scored') continue;
    for (const value of Object.values(named)) {
      rewards ??= new Map();
      const before = rewards.get(boundTo);
      const sum = before === null || value === null ? null : (before ?? 0) + value;
      rewards.set(boundTo, sum !== null && Number.isFinite(sum) ? sum : null);
    }
  }
  return rewards ?? NONE;
}
