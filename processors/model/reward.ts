import type { HeldVerdict } from './attempt.ts';
import type { CodeRule, RewardRule } from './policy.ts';

/** All that a reward depends on. */
export interface RewardFacts {
  readonly verdicts: readonly HeldVerdict[];
  /** Tokens the policy sampled, a shared prefix once; null: a call came without its ids. */
  readonly sampledTokens: number | null;
  readonly malformedCalls: number;
  readonly repairedCalls: number;
}

export interface Reward {
  /** Sum of the components; null: invalid. Null is not 0. */
  readonly reward: number | null;
  readonly rewardValid: boolean;
  readonly components: Readonly<Record<string, number | null>>;
  /** Code of what the verifier did not say; null: it answered, or did not run by design. */
  readonly verifierFault: string | null;
  /** The components that make it invalid, each with what is wrong: `answer: missing`. */
  readonly invalid: readonly string[];
}

/** The reward of an attempt by the rules of its scope and of the code that decided. */
export type RewardOf<A> = (attempt: A, rule: RewardRule, code: CodeRule) => Reward;
