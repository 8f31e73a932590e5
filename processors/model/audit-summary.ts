import type { AuditSummary } from '../../schemas/generated/trajectory.ts';
import type { Attempt } from './attempt.ts';

/** One audit: what it can prove of an attempt. What it cannot prove is not_auditable, never pass. */
export type Audit = (attempt: Attempt) => AuditSummary[keyof AuditSummary];

/** The audits by name. An absent one has not looked, and says so. */
export type Audits = Readonly<Partial<Record<keyof AuditSummary, Audit>>>;

export function summaryOf(audits: Audits, attempt: Attempt): AuditSummary {
  const resultOf = (name: keyof AuditSummary) => audits[name]?.(attempt) ?? 'not_auditable';
  return {
    tokens: resultOf('tokens'),
    template: resultOf('template'),
    tools: resultOf('tools'),
    termination: resultOf('termination'),
    numbers: resultOf('numbers'),
    wall: resultOf('wall'),
  };
}
