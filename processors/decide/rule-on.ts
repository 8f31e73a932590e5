import type { Reason } from '../../schemas/generated/trajectory.ts';
import type { AttemptIdentity } from '../model/attempt.ts';
import type { Finding } from '../model/audit-summary.ts';
import { isKept } from '../model/is-kept.ts';
import type { Judgement, Scored } from '../model/judgement.ts';
import type { CodeRule, PlacedRule, PlacedRules, Policy } from '../model/policy.ts';
import type { Reward, RewardOf } from '../model/reward.ts';
import { holdsOfAttribution } from './rules/attribution.ts';
import { holdsOfFindings } from './rules/finding.ts';
import { holdsOfInfraShare } from './rules/infra-share.ts';

/** What a policy may ask of an attempt beside its score. */
export interface RuledAttempt {
  readonly number: number;
  readonly identity: Pick<AttemptIdentity, 'run_id' | 'env_name' | 'purpose'>;
  readonly expiredBy: string | null;
  /** null: no audit has looked. */
  readonly audited: { readonly findings: ReadonlyArray<Pick<Finding, 'class'>> } | null;
  readonly missingTokens: boolean;
  readonly segments: ReadonlyArray<{ readonly chunks: ReadonlyArray<{ readonly sampledTokens: number }> }>;
}

/**
 * What the policy makes of one attempt, without its group: the first that holds of a finding of the audits, a verdict to wait
 * for, retry or its limit, a verifier that did not answer, no tokens, a purpose that does not train, the rule that applies: the
 * first exception, laid over the rule of the code, else of its category.
 */
export function ruleOn<A extends RuledAttempt>(
  attempt: A,
  facts: Scored,
  policy: Policy,
  rewardOf: RewardOf<A>,
  gateClasses: readonly string[] = [],
): Judgement {
  const { run_id: runId, env_name: envName, purpose } = attempt.identity;
  const reason = decidingReason(facts);
  const { code, category } = facts;
  const placed = policy.rulesAt({ code, category, system: reason?.system ?? '', envName, runId });
  const findings = attempt.audited?.findings ?? null;
  const found = findingOf(findings, policy, placed) ?? gatedOf(findings, gateClasses);
  const { reward: scope } = policy.scopeOf(runId, envName);
  if (found !== null) return ruledByFinding(attempt, rewardedBy(facts, rewardOf(attempt, scope, placed.rule)), found);
  const applied = appliedRule(placed, attempt, facts, reason);
  if (applied === null) return outcome(facts, 'wait', [], placed);
  const { rule } = applied;
  if (rule.awaitsVerdict && isAwaited(attempt, facts)) return outcome(facts, 'wait', [], applied);
  const reward = rewardOf(attempt, scope, rule);
  const scored = rewardedBy(facts, reward);
  if (rule.disposition === 'retry') {
    if (attempt.number < (rule.retries ?? policy.retryLimit))
      return outcome(unrewarded(scored), 'retry', [`retry:${code}`], applied);
    return rejected(attempt, unrewarded(scored), 'drop', [code, 'retries_exhausted'], applied);
  }
  if (rule.disposition === 'drop' || rule.disposition === 'quarantine')
    return rejected(
      attempt,
      unrewarded(scored),
      rule.disposition,
      [code, ...scored.conflicts.map(({ text }) => text)],
      applied,
    );
  // Out of the loss whatever its reward is: there is nothing to score again for.
  if (rule.disposition !== 'train_masked' && reward.verifierFault !== null)
    return rejected(attempt, scored, 'quarantine', [reward.verifierFault, code, ...reward.invalid], applied);
  if (isWithoutTokens(attempt) || purpose !== 'train') return rejected(attempt, scored, 'drop', [code], applied);
  return outcome(scored, rule.disposition, [code], applied);
}

/** The reason whose code decided; where two facts contradict each other, the loop's own. */
function decidingReason({ reasons, code }: Scored): Reason | null {
  return reasons.find((reason) => reason.code === code) ?? reasons[0] ?? null;
}

type Findings = ReadonlyArray<Pick<Finding, 'class'>> | null;

interface Found {
  readonly class: string;
  readonly becomes: 'drop' | 'quarantine' | 'train_masked';
  readonly from: string;
}

/** The first class of the policy that an audit found. What its code keeps from training, a finding does not let train. */
function findingOf(findings: Findings, policy: Policy, { rule }: PlacedRule): Found | null {
  if (findings === null || findings.length === 0) return null;
  for (const [name, becomes] of policy.findings) {
    if (!findings.some((finding) => finding.class === name)) continue;
    if (becomes === 'train_masked' && !isKept(rule.disposition)) continue;
    return { class: name, becomes, from: `findings.${name}` };
  }
  return null;
}

/** A class that the gate of the run quarantines, though the policy alone would let it train. */
function gatedOf(findings: Findings, gateClasses: readonly string[]): Found | null {
  const found = findings?.find((finding) => gateClasses.includes(finding.class));
  return found === undefined ? null : { class: found.class, becomes: 'quarantine', from: `gate.${found.class}` };
}

/** Decided at once: no verdict can make what was sampled another thing than what was executed. */
function ruledByFinding(attempt: RuledAttempt, scored: Scored, { class: name, becomes, from }: Found): Judgement {
  const by = { rule: null, from };
  const why = [name, scored.code];
  if (becomes !== 'train_masked') return rejected(attempt, unrewarded(scored), becomes, why, by);
  if (isWithoutTokens(attempt) || attempt.identity.purpose !== 'train')
    return rejected(attempt, unrewarded(scored), 'drop', why, by);
  return outcome(unrewarded(scored), 'train_masked', why, by);
}

/** The first exception that applies, else the rule it would override; null: that depends on a verdict that is awaited. */
function appliedRule(
  placed: PlacedRules,
  attempt: RuledAttempt,
  scored: Scored,
  reason: Reason | null,
): PlacedRule | null {
  for (const exception of placed.exceptions) {
    const { when } = exception;
    if (!holdsOfFindings(when, attempt.audited?.findings ?? null)) continue;
    if (!holdsOfAttribution(when, reason)) continue;
    if (!holdsOfInfraShare(when, scored.infraShare)) continue;
    if (when.scored === undefined) return exception;
    // 1 the end @10, `scored: false` drops; 2 the verdict @11 says 1: an unscored attempt is one whose verdict is not to come.
    if (placed.rule.awaitsVerdict && isAwaited(attempt, scored)) return null;
    if (when.scored === (scored.verifierStatus === 'scored')) return exception;
  }
  return placed;
}

function isAwaited({ expiredBy }: RuledAttempt, { verifierStatus }: Scored): boolean {
  return verifierStatus === 'none' && expiredBy === null;
}

interface Applied {
  readonly rule: CodeRule | null;
  readonly from: string;
}

/** Why is led by what accounting counts: no_tokens, purpose, a finding, else the code. */
function rejected(
  attempt: RuledAttempt,
  scored: Scored,
  ruling: 'drop' | 'quarantine',
  why: readonly string[],
  applied: Applied,
): Judgement {
  if (isWithoutTokens(attempt)) return outcome(scored, ruling, ['no_tokens', ...why], applied);
  if (attempt.identity.purpose !== 'train') return outcome(scored, ruling, ['purpose', ...why], applied);
  return outcome(scored, ruling, why, applied);
}

function outcome(scored: Scored, ruling: Judgement['ruling'], why: readonly string[], applied: Applied): Judgement {
  const kept = isKept(ruling);
  const counts = kept && scored.rewardValid;
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
    rule: applied.from,
    inLoss: kept && ruling !== 'train_masked',
    inBaseline: counts && (applied.rule?.inBaseline ?? true),
    countsForSize: counts,
  };
}

/** A fault has no reward, whatever a verifier said about what it left behind. */
function unrewarded(scored: Scored): Scored {
  return { ...scored, reward: null, rewardValid: false };
}

function rewardedBy(facts: Scored, { reward, rewardValid, components, verifierFault }: Reward): Scored {
  return { ...facts, reward, rewardValid, components, verifierFault };
}

/** Nothing that a trainer could learn from: no sampled token, or a call whose ids never came. */
export function isWithoutTokens({
  missingTokens,
  segments,
}: Pick<RuledAttempt, 'missingTokens' | 'segments'>): boolean {
  return missingTokens || !segments.some((segment) => segment.chunks.some((chunk) => chunk.sampledTokens > 0));
}
