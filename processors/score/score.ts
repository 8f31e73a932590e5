import { map, type OperatorFunction } from 'rxjs';
import type { RawReason } from '../../schemas/generated/step-event.ts';
import { type Attempt, isWhole } from '../model/attempt.ts';
import type { Candidate } from '../model/closing.ts';
import type { Judgement, Scored } from '../model/judgement.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { categoryOf, classify, finishMeaning, primaryOf } from '../taxonomy/classify.ts';
import { rewardOf } from './reward.ts';

/** Judges each candidate by itself, once; the group asks the same judge about its other members. */
export function createScore(
  judge: (attempt: Attempt) => Judgement,
): OperatorFunction<readonly Candidate[], readonly Candidate[]> {
  return map(function score(candidates) {
    for (const candidate of candidates) {
      if (candidate.kind === 'expired') candidate.attempt.expiredBy = candidate.deadline;
      if (candidate.kind === 'whole' || candidate.kind === 'expired') judge(candidate.attempt);
    }
    return candidates;
  });
}

/** The three facts of an attempt, kept apart, and the reward that its verdicts give. */
export function scoreOf(attempt: Attempt, taxonomy: Taxonomy): Scored {
  const reasons = rawReasonsOf(attempt).map((reason) => classify(taxonomy, reason));
  const finishReason = attempt.turns.at(-1)?.finishReason ?? null;
  const primary = primaryOf(taxonomy, reasons);
  const conflict =
    primary?.category === 'completion' ? conflictOf(primary.code, finishMeaning(taxonomy, finishReason)) : null;
  const code = conflict === null ? (primary?.code ?? 'unknown') : 'termination_conflict';
  const { verifierStatus, verifierFault, reward, rewardValid, components } = rewardOf(attempt);
  return {
    reasons,
    code,
    category: categoryOf(taxonomy, code),
    finishReason,
    verifierStatus,
    verifierFault,
    conflicts: conflict === null ? [] : [conflict],
    infraShare: null,
    policyShare: null,
    reward,
    rewardValid,
    components,
  };
}

/** What the source said; then what the pipeline found: a deadline that closed it unfinished, a record it cannot assemble. */
function rawReasonsOf(attempt: Attempt): RawReason[] {
  const reasons = [...(attempt.end?.reasons ?? [])];
  const found = (raw: string) => reasons.push({ raw, system: 'rollstream', detail: null, after_end: false });
  if (attempt.expiredBy !== null && !isWhole(attempt)) found(attempt.expiredBy);
  if (attempt.corrupt !== null) found(attempt.corrupt);
  return reasons;
}

/**
 * The loop says complete, the engine says otherwise: flagged with both sides. SGLang answers some aborts with HTTP 200 and
 * partial text, and a client that only tests for `length` goes on to call the rollout complete.
 */
function conflictOf(code: string, meaning: 'complete' | 'cut' | 'aborted' | null): string | null {
  return meaning === 'cut' || meaning === 'aborted'
    ? `the loop says ${code}, the engine ${meaning} its last call`
    : null;
}
