import {
  AUDIT_NAMES,
  type AuditAnswer,
  type Audited,
  type AuditName,
  type AuditResult,
  type Finding,
} from '../model/audit-summary.ts';
import type { DeepAnswers } from '../model/deep-input.ts';

/**
 * What a lane said and what a tokenizer said, as one. By audit: what one of them could look at stands where the other could not;
 * where both looked, findings add up and the worse result counts.
 */
export function joinAnswers(audited: Audited, deep: DeepAnswers): Audited {
  const summary = { ...audited.summary };
  const missing = { ...audited.missing };
  const findings: Finding[] = [];
  for (const audit of AUDIT_NAMES) {
    const answer = deep[audit];
    for (const finding of audited.findings)
      if (finding.audit === audit && !isTold(answer, finding)) findings.push(finding);
    if (answer === undefined) continue;
    for (const found of answer.findings) findings.push({ audit, ...found });
    summary[audit] = joined(summary[audit], answer.result, findings, audit);
    if (summary[audit] !== 'not_auditable') delete missing[audit];
    else if (answer.missing !== null) missing[audit] = answer.missing;
  }
  return { summary, missing, findings };
}

/** With a tokenizer the same place is told better. */
function isTold(answer: AuditAnswer | undefined, { class: name, turn, index }: Finding): boolean {
  return (
    answer?.findings.some((found) => found.class === name && found.turn === turn && found.index === index) ?? false
  );
}

/** From the least that is known to the worst. */
const RESULTS: readonly AuditResult[] = ['not_auditable', 'pass', 'warn', 'fail'];

function joined(one: AuditResult, other: AuditResult, findings: readonly Finding[], audit: AuditName): AuditResult {
  // Whether all token ids are there only the lane can tell: of those that are, a tokenizer has nothing against.
  if (audit === 'tokens' && one === 'not_auditable' && other === 'pass') return one;
  const worse = RESULTS.indexOf(one) > RESULTS.indexOf(other) ? one : other;
  // Where one could not look and found something all the same, the other's pass is none.
  return worse === 'pass' && findings.some((finding) => finding.audit === audit) ? 'warn' : worse;
}
