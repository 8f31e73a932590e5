import { map, type OperatorFunction } from 'rxjs';
import { type Audits, auditOf } from '../model/audit-summary.ts';
import type { Candidate } from '../model/closing.ts';

/** Audits each candidate before anything is scored. */
export function createAudits(audits: Audits): OperatorFunction<readonly Candidate[], readonly Candidate[]> {
  return map(function audit(candidates) {
    for (const candidate of candidates) {
      if (candidate.kind === 'unit_expired') continue;
      const { summary, findings } = auditOf(audits, candidate.attempt);
      candidate.attempt.audit = summary;
      candidate.attempt.findings = findings;
    }
    return candidates;
  });
}
