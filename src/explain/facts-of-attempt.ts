import { type RuledAttempt, ruleOn } from '../../processors/decide/rule-on.ts';
import type { HeldVerdict } from '../../processors/model/attempt.ts';
import type { Judgement, Scored } from '../../processors/model/judgement.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { RewardFacts } from '../../processors/model/reward.ts';
import { sumComponents } from '../../processors/score/sum-components.ts';
import { verdictFactsOf } from '../../processors/score/verdict-facts.ts';
import type { VerdictStatus } from '../../schemas/generated/step-event.ts';
import type { DecisionJson, JsonRow, VerdictJson } from '../access/explanation.ts';
import type { TrajectoryJson } from '../ready/trajectory-json.ts';

/** All that the rules of a policy ask of one attempt, as the store knows it. */
export interface KnownFacts {
  readonly attempt: RuledAttempt & { readonly facts: RewardFacts };
  readonly scored: Scored;
}

export interface KnownAttempt {
  readonly attempt: number;
  readonly decision: DecisionJson;
  readonly trajectory: TrajectoryJson;
  readonly verdicts: readonly VerdictJson[];
  readonly steps: readonly JsonRow[];
  readonly audits: readonly JsonRow[];
}

/** `expiredBy`: a deadline that had passed when it was decided; null: none. */
export function factsOfAttempt(known: KnownAttempt, runId: string, expiredBy: string | null): KnownFacts {
  const { attempt: number, decision, trajectory, verdicts, steps, audits } = known;
  const missingTokens = decision.why.includes('no_tokens');
  const calls = callCounts(steps);
  const facts: KnownFacts = {
    attempt: {
      number,
      identity: { run_id: runId, env_name: decision.env_name, purpose: trajectory.purpose },
      expiredBy,
      audited: {
        findings: audits.flatMap(({ class: name }) =>
          typeof name === 'string' && name !== '' ? [{ class: name }] : [],
        ),
      },
      missingTokens,
      segments: [{ chunks: [{ sampledTokens: decision.n_sampled_tokens }] }],
      facts: {
        verdicts: [],
        sampledTokens: missingTokens ? null : decision.n_sampled_tokens,
        malformedCalls: calls.malformed,
        repairedCalls: calls.repaired,
      },
    },
    scored: {
      reasons: trajectory.reasons,
      ...{ code: decision.reason_code, category: decision.category, finishReason: decision.finish_reason },
      ...{ verifierStatus: 'none', verifierFault: null, conflicts: [] },
      ...{ infraShare: decision.infra_share, policyShare: decision.policy_share },
      ...{ reward: null, rewardValid: false, components: {} },
    },
  };
  return withVerdicts(facts, verdicts.filter(({ standing }) => standing === 'counts').map(heldOf));
}

/** The same attempt with other verdicts. */
export function withVerdicts(facts: KnownFacts, verdicts: readonly HeldVerdict[]): KnownFacts {
  const { attempt, scored } = facts;
  return {
    attempt: { ...attempt, facts: { ...attempt.facts, verdicts } },
    scored: { ...scored, ...verdictFactsOf(verdicts) },
  };
}

/** What a policy makes of it by itself, without group and age. */
export function judgeFacts({ attempt, scored }: KnownFacts, policy: Policy): Judgement {
  return ruleOn(attempt, scored, policy, ({ facts }, rule, code) => sumComponents(facts, rule, code));
}

export function heldOf({ scorer, scorer_version, status, rewards, bound_to }: VerdictJson): HeldVerdict {
  const known = STATUSES.find((name) => name === status) ?? 'unknown';
  return { scorer, scorerVersion: scorer_version, status: known, rewards, notFinite: [], boundTo: bound_to };
}

const STATUSES: readonly VerdictStatus[] = [
  ...(['scored', 'not_run', 'timeout', 'crash', 'missing', 'parse_error', 'refused'] as const),
];

export function callCounts(steps: readonly JsonRow[]): { malformed: number; repaired: number } {
  const statuses = steps.flatMap((step) => {
    const list = step['tool_calls.parse_status'];
    return Array.isArray(list) ? list : [];
  });
  const count = (name: string) => statuses.filter((status) => status === name).length;
  return { malformed: count('malformed'), repaired: count('repaired') };
}
