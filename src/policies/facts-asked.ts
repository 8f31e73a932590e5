import { isDeepStrictEqual } from 'node:util';
import type { Policy, RewardRule, Scope } from '../../processors/model/policy.ts';

/** What policies ask for that is another for each rollout: the fewer, the more decisions are alike. */
export interface FactsAsked {
  /** Codes for which a rule asks for the infrastructure's share; `*`: any. */
  readonly shares: string[];
  /** Sampled tokens between which a reward falls; equal: it asks for none. */
  readonly from: number;
  readonly to: number;
  /** The rewards themselves: where two policies make the same of them, only whether there is one matters. */
  readonly values: boolean;
}

export function factsAsked(tried: Policy, made: readonly Policy[], runId: string, envs: readonly string[]): FactsAsked {
  const policies = [tried, ...made];
  const asking = policies
    .flatMap(({ rules }) => rules)
    .filter(({ when }) => when.infraShareAbove !== undefined || when.infraShareAtMost !== undefined);
  const rewardOf = (policy: Policy, env: string) => policy.scopeOf(runId, env).reward;
  const differs = made.some(
    (policy) =>
      !isDeepStrictEqual(penaltiesOf(policy), penaltiesOf(tried)) ||
      envs.some((env) => !isDeepStrictEqual(madeOf(rewardOf(policy, env)), madeOf(rewardOf(tried, env)))),
  );
  const overlong = differs
    ? policies.flatMap((policy) => envs.flatMap((env) => rewardOf(policy, env).softOverlong ?? []))
    : [];
  return {
    shares: [...new Set(asking.flatMap(({ when }) => when.code ?? ['*']))],
    from:
      overlong.length === 0
        ? 1
        : Math.max(1, Math.floor(Math.min(...overlong.map(({ maxTokens, bufferTokens }) => maxTokens - bufferTokens)))),
    to: Math.max(1, ...overlong.map(({ maxTokens }) => Math.ceil(maxTokens))),
    values: differs,
  };
}

/** What of a policy shows only when it is in force. */
export function unseenOf(tried: Policy, made: readonly Policy[], runId: string, envs: readonly string[]): string[] {
  const differs = (part: keyof Scope) =>
    made.some((policy) =>
      envs.some((env) => !isDeepStrictEqual(policy.scopeOf(runId, env)[part], tried.scopeOf(runId, env)[part])),
    );
  const countsCalls = envs.some((env) => {
    const { malformedCall, repairedCall } = tried.scopeOf(runId, env).reward;
    return malformedCall !== 0 || repairedCall !== 0;
  });
  return [
    ...(differs('group') ? ['groups: advantages, groups without spread, min_valid and on_fault'] : []),
    ...(differs('staleness') ? ['staleness: what its lag was when it was decided'] : []),
    ...(differs('deadlines') ? ['deadlines: who would have been waited for'] : []),
    ...(differs('admission') ? ['admission: what would have been started'] : []),
    ...(countsCalls ? ['malformed_call and repaired_call: how many there were'] : []),
  ];
}

/** Which components are required changes whether there is a reward, not which. */
function madeOf({ required: _, ...rest }: RewardRule): Omit<RewardRule, 'required'> {
  return rest;
}

function penaltiesOf({ codes, categories, rules }: Policy): unknown {
  const penalties = (of: Policy['codes']) =>
    [...of].flatMap(([name, { penalty }]) => (penalty === 0 ? [] : [[name, penalty]])).sort();
  const ofRules = rules.flatMap(({ when, override }) =>
    override.penalty === undefined ? [] : [[when, override.penalty]],
  );
  return [penalties(codes), penalties(categories), ofRules];
}
