import { countingVerdicts } from '../model/counting-verdicts.ts';
import type { CodeRule, RewardRule } from '../model/policy.ts';
import type { Reward, RewardFacts } from '../model/reward.ts';
import { addCalls } from './components/calls.ts';
import { addPart, type Parts } from './components/parts.ts';
import { scaleAndClip } from './components/scale-and-clip.ts';
import { addScores } from './components/scores.ts';
import { addSoftOverlong, LENGTH_MISSING } from './components/soft-overlong.ts';
import { addTurns } from './components/turns.ts';
import { verdictFactsOf } from './verdict-facts.ts';

/**
 * A reward as the sum of named components: what verifiers scored by weight (or what the policy gives where they did not run by
 * design), the code's penalty, soft overlong, malformed and repaired calls, turns, then scale and clip as what they changed.
 * Where one that counts is missing or not finite, or a verifier failed, the reward is invalid, not smaller.
 */
export function sumComponents(facts: RewardFacts, rule: RewardRule, code: CodeRule): Reward {
  const verdicts = countingVerdicts(facts.verdicts);
  const { verifierStatus, verifierFault } = verdictFactsOf(verdicts);
  const parts: Parts = { byName: new Map(), invalid: [] };
  if (verifierStatus === 'scored' || verifierFault !== null) {
    const whole = verdicts.filter(({ boundTo }) => boundTo === null);
    const scored = whole.filter(({ status }) => status === 'scored');
    const mayLack = verifierFault !== null || (code.unscored !== null && scored.length < whole.length);
    addScores(parts, { scored, required: requiredBy(rule, code), mayLack }, rule);
  } else if (isUnaskedBy(verifierStatus, code) && code.unscored !== null) addPart(parts, 'unscored', code.unscored);
  addTurns(parts, verdicts, rule);
  // What is penalised without having been seen is worth its penalty.
  const isPenalised = code.penalty !== 0 && isUnaskedBy(verifierStatus, code);
  const isUnscored = isWithoutValue(parts) && !isPenalised;
  if (code.penalty !== 0) addPart(parts, 'penalty', code.penalty);
  addSoftOverlong(parts, rule.softOverlong, facts.sampledTokens);
  addCalls(parts, rule, facts);
  const reward = rewardOfParts(parts, rule);
  const isValid = parts.invalid.length === 0 && verifierFault === null && !isUnscored;
  return {
    reward: isValid ? reward : null,
    rewardValid: isValid,
    // A name may be `__proto__`, which an assignment would lose.
    components: Object.fromEntries(parts.byName),
    verifierFault: verifierFault ?? (isValid || isOfUnknownLength(parts, isUnscored) ? null : 'reward_missing'),
    invalid: parts.invalid,
  };
}

function rewardOfParts(parts: Parts, rule: RewardRule): number {
  let sum = 0;
  for (const value of parts.byName.values()) if (value !== null) sum += value;
  const reward = parts.invalid.length === 0 && Number.isFinite(sum) ? scaleAndClip(parts, sum, rule) : sum;
  if (!Number.isFinite(reward)) parts.invalid.push('sum: not finite');
  return reward;
}

/** The code's own list; else the scope's, if it has one; else whatever a verdict names. */
function requiredBy(rule: RewardRule, code: CodeRule): readonly string[] | null {
  return code.required ?? (rule.required.length === 0 ? null : rule.required);
}

/** By design: it said so, or the policy decides without asking. One that was asked and is silent is a fault. */
function isUnaskedBy(verifierStatus: string, code: CodeRule): boolean {
  return verifierStatus === 'not_run' || (verifierStatus === 'none' && !code.awaitsVerdict);
}

/** Scored, but nobody knows how long it was: no verifier can help. */
function isOfUnknownLength({ invalid }: Parts, isUnscored: boolean): boolean {
  return !isUnscored && invalid.every((what) => what === LENGTH_MISSING);
}

function isWithoutValue({ byName }: Parts): boolean {
  for (const value of byName.values()) if (value !== null) return false;
  return true;
}
