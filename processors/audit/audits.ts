import { map, type OperatorFunction } from 'rxjs';
import type { Attempt } from '../model/attempt.ts';
import type { Audited } from '../model/audit-summary.ts';
import type { Candidate } from '../model/closing.ts';

/**
 * Audits each candidate before a policy rules on it; the other members of a group are audited when they are judged. What a higher
 * attempt fences off is no result, and is not looked at.
 */
export function createAudits(
  audit: (attempt: Attempt) => Audited,
): OperatorFunction<readonly Candidate[], readonly Candidate[]> {
  return map(function audits(candidates) {
    for (const candidate of candidates) {
      if (candidate.kind === 'expired') candidate.attempt.expiredBy = candidate.deadline;
      if (candidate.kind === 'whole' || candidate.kind === 'expired') audit(candidate.attempt);
    }
    return candidates;
  });
}
