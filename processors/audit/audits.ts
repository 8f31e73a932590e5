import { map, type OperatorFunction } from 'rxjs';
import { type Audits, summaryOf } from '../model/audit-summary.ts';
import type { Candidate } from '../model/closing.ts';

/** Audits each candidate before anything is scored. */
export function createAudits(audits: Audits): OperatorFunction<readonly Candidate[], readonly Candidate[]> {
  return map(function audit(candidates) {
    for (const candidate of candidates)
      if (candidate.kind !== 'unit_expired') candidate.attempt.audit = summaryOf(audits, candidate.attempt);
    return candidates;
  });
}
