import { map, type OperatorFunction } from 'rxjs';
import type { Attempt } from '../model/attempt.ts';
import { type Audits, auditOf } from '../model/audit-summary.ts';
import type { Candidate } from '../model/closing.ts';
import type { Scored } from '../model/judgement.ts';

/** Audits each candidate before a policy rules on it. What a higher attempt fences off is no result, and is not looked at. */
export function createAudits(
  audits: Audits,
  scored: (attempt: Attempt) => Scored,
): OperatorFunction<readonly Candidate[], readonly Candidate[]> {
  const auditOne = (attempt: Attempt) => {
    attempt.audited = auditOf(audits, attempt, scored(attempt));
  };
  return map(function audit(candidates) {
    for (const candidate of candidates) {
      if (candidate.kind === 'expired') candidate.attempt.expiredBy = candidate.deadline;
      if (candidate.kind === 'whole' || candidate.kind === 'expired') auditOne(candidate.attempt);
      else if (candidate.kind === 'unit_expired')
        for (const attempt of candidate.unit.attempts.values()) if (attempt.audited === null) auditOne(attempt);
    }
    return candidates;
  });
}
