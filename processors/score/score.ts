import { map, type OperatorFunction } from 'rxjs';
import type { Attempt } from '../model/attempt.ts';
import type { Candidate } from '../model/closing.ts';
import type { Judgement, Scored } from '../model/judgement.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { categoryOf, primaryOf } from '../taxonomy/classify.ts';
import { conflictsOf } from './conflicts.ts';
import { reasonsOf } from './reasons-of.ts';
import { verdictFactsOf } from './verdict-facts.ts';
import { wallSharesOf } from './wall-shares.ts';

/** Judges each candidate by itself, once; the group asks the same judge about its other members. */
export function createScore(
  judge: (attempt: Attempt) => Judgement,
): OperatorFunction<readonly Candidate[], readonly Candidate[]> {
  return map(function score(candidates) {
    for (const candidate of candidates) {
      if (candidate.kind === 'whole' || candidate.kind === 'expired') judge(candidate.attempt);
    }
    return candidates;
  });
}

/** The three facts of an attempt, kept apart, and the reward that its verdicts give. */
export function scoreOf(attempt: Attempt, taxonomy: Taxonomy): Scored {
  const { stated, raised } = reasonsOf(attempt, taxonomy);
  const reasons = raised === null ? stated : [...stated, raised];
  const finishReason = attempt.turns.at(-1)?.finishReason ?? null;
  const said = primaryOf(taxonomy, stated);
  const conflicts = conflictsOf(attempt, said, raised, taxonomy);
  const isConflict = conflicts[0]?.class === 'termination_conflict';
  const code = isConflict ? 'termination_conflict' : (primaryOf(taxonomy, reasons)?.code ?? 'unknown');
  const { infraShare, policyShare } = wallSharesOf(attempt);
  const { verifierStatus, verifierFault } = verdictFactsOf(attempt.verdicts);
  return {
    reasons,
    code,
    category: categoryOf(taxonomy, code),
    finishReason,
    verifierStatus,
    verifierFault,
    conflicts,
    infraShare,
    policyShare,
    reward: null,
    rewardValid: false,
    components: NOT_SUMMED,
  };
}

/** The sum needs the rule of the code. */
const NOT_SUMMED = {};
