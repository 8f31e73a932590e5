import { numbersAnew } from '../audit/numbers.ts';
import { auditTermination } from '../audit/termination.ts';
import { type Attempt, attemptKey } from '../model/attempt.ts';
import {
  type AuditAnswer,
  type Audited,
  type AuditName,
  auditedBy,
  type Finding,
  NOT_AUDITED,
} from '../model/audit-summary.ts';
import type { Scored } from '../model/judgement.ts';

/**
 * What the audits said stands, but for what depends on what a replay changes: `termination` follows the taxonomy, and of
 * `numbers` the rewards follow the verdicts.
 */
export function storedAudits(
  audited: ReadonlyMap<string, Audited>,
  hasOtherVerdicts: boolean,
  attempt: Attempt,
  scored: Scored,
): Audited {
  const stored = audited.get(attemptKey(attempt.rolloutId, attempt.number)) ?? NOT_AUDITED;
  const anew: Answers = { termination: auditTermination(attempt, scored) };
  if (hasOtherVerdicts && stored !== NOT_AUDITED)
    anew.numbers = numbersAnew(attempt, stored.findings.filter(({ audit }) => audit === 'numbers').map(foundOf));
  return isSaid(stored, anew) ? stored : auditedBy((audit) => anew[audit] ?? answerOf(stored, audit));
}

type Answers = Partial<Record<AuditName, AuditAnswer>>;

/** Most attempts: nothing was found, nothing is. */
function isSaid({ summary, missing, findings }: Audited, { termination, numbers }: Answers): boolean {
  return (
    numbers === undefined &&
    termination !== undefined &&
    termination.findings.length === 0 &&
    termination.result === summary.termination &&
    termination.missing === (missing.termination ?? null) &&
    !findings.some(({ audit }) => audit === 'termination')
  );
}

function answerOf({ summary, missing, findings }: Audited, audit: AuditName): AuditAnswer {
  return {
    result: summary[audit],
    findings: findings.filter((finding) => finding.audit === audit).map(foundOf),
    missing: missing[audit] ?? null,
  };
}

function foundOf({ audit: _, ...found }: Finding) {
  return found;
}
