import type { Attempt } from '../model/attempt.ts';
import type { CodeRule, RewardRule } from '../model/policy.ts';
import type { Reward } from '../model/reward.ts';
import { sampledIn } from '../model/segment.ts';
import { sumComponents } from './sum-components.ts';

/** Reward of an attempt as it stands, by the rules of its scope and of the code that decided. */
export function rewardOf(attempt: Attempt, rule: RewardRule, code: CodeRule): Reward {
  const { verdicts, facts } = attempt;
  return sumComponents(
    {
      verdicts,
      sampledTokens: rule.softOverlong === null ? 0 : sampledTokensOf(attempt),
      malformedCalls: facts?.malformedCalls ?? 0,
      repairedCalls: facts?.repairedCalls ?? 0,
    },
    rule,
    code,
  );
}

function sampledTokensOf({ segments, missingTokens }: Attempt): number | null {
  if (missingTokens) return null;
  let sum = 0;
  for (const { chunks } of segments) for (const chunk of chunks) if (!chunk.copied) sum += sampledIn(chunk);
  return sum;
}
