import type { Attempt } from '../model/attempt.ts';
import type { Judgement, Scored } from '../model/judgement.ts';
import type { CodeRule, Policy } from '../model/policy.ts';

/** A code nobody has a rule for is looked at, not guessed. */
const NO_RULE: CodeRule = {
  disposition: 'quarantine',
  awaitsVerdict: false,
  unscored: null,
  penalty: 0,
  required: null,
  inBaseline: true,
  retries: null,
};

/**
 * What the policy makes of one attempt, without its group: the first that holds of retry or its limit, a verifier that did not
 * answer, no tokens, a purpose that does not train, the rule of the code.
 */
export function ruleOn(attempt: Attempt, scored: Scored, policy: Policy): Judgement {
  const rule = policy.codes.get(scored.code) ?? policy.categories.get(scored.category) ?? NO_RULE;
  if (rule.awaitsVerdict && scored.verifierStatus === 'none' && attempt.expiredBy === null)
    return outcome(scored, 'wait', []);
  if (rule.disposition === 'retry') {
    if (attempt.number < policy.retryLimit) return outcome(unrewarded(scored), 'retry', [`retry:${scored.code}`]);
    return rejected(attempt, unrewarded(scored), 'drop', [scored.code, 'retries_exhausted']);
  }
  if (rule.disposition === 'drop' || rule.disposition === 'quarantine')
    return rejected(attempt, unrewarded(scored), rule.disposition, [scored.code, ...scored.conflicts]);
  const rewarded = scored.reward === null ? withUnscored(scored, rule) : scored;
  // Out of the loss whatever its reward is: there is nothing to score again for.
  if (rule.disposition !== 'train_masked' && rewarded.verifierFault !== null)
    return rejected(attempt, rewarded, 'quarantine', [rewarded.verifierFault, scored.code]);
  if (isWithoutTokens(attempt) || attempt.identity.purpose !== 'train')
    return rejected(attempt, rewarded, 'drop', [scored.code]);
  return outcome(rewarded, rule.disposition, [scored.code]);
}

/** Why is led by what accounting counts: no_tokens, purpose, else the code. */
function rejected(attempt: Attempt, scored: Scored, ruling: 'drop' | 'quarantine', why: readonly string[]): Judgement {
  if (isWithoutTokens(attempt)) return outcome(scored, ruling, ['no_tokens', ...why]);
  if (attempt.identity.purpose !== 'train') return outcome(scored, ruling, ['purpose', ...why]);
  return outcome(scored, ruling, why);
}

function outcome(scored: Scored, ruling: Judgement['ruling'], why: readonly string[]): Judgement {
  const kept = ruling === 'train' || ruling === 'train_masked' || ruling === 'penalise';
  const inBaseline = kept && scored.rewardValid;
  return {
    reasons: scored.reasons,
    code: scored.code,
    category: scored.category,
    finishReason: scored.finishReason,
    verifierStatus: scored.verifierStatus,
    verifierFault: scored.verifierFault,
    conflicts: scored.conflicts,
    infraShare: scored.infraShare,
    policyShare: scored.policyShare,
    reward: scored.reward,
    rewardValid: scored.rewardValid,
    components: scored.components,
    ruling,
    why,
    rule: '',
    inLoss: kept && ruling !== 'train_masked',
    inBaseline,
    countsForSize: inBaseline,
  };
}

/** A fault has no reward, whatever a verifier said about what it left behind. */
function unrewarded(scored: Scored): Scored {
  return { ...scored, reward: null, rewardValid: false };
}

/** The verifier did not run by design: the code's own reward. It was asked and is silent, or a score is required: a verifier fault. */
function withUnscored(scored: Scored, rule: CodeRule): Scored {
  if (scored.verifierStatus === 'not_run' && rule.unscored !== null)
    return { ...scored, reward: rule.unscored, rewardValid: true };
  return { ...scored, verifierFault: scored.verifierFault ?? 'reward_missing' };
}

/** Nothing that a trainer could learn from: no sampled token, or a call whose ids never came. */
export function isWithoutTokens(attempt: Attempt): boolean {
  return (
    attempt.missingTokens ||
    !attempt.segments.some((segment) => segment.chunks.some((chunk) => chunk.sampledTokens > 0))
  );
}
