import type { AuditSummary } from '../../schemas/generated/trajectory.ts';
import type { Attempt } from './attempt.ts';

export type AuditName = keyof AuditSummary;
export type AuditResult = AuditSummary[AuditName];

/** Something that an audit found, with where it is. */
export interface Finding {
  readonly audit: AuditName;
  /** What the policy knows it by, such as `silent_repair`. */
  readonly class: string;
  /** Model call; null: none. */
  readonly turn: number | null;
  /** Token or character; null: none. */
  readonly index: number | null;
  readonly detail: string;
}

/** What an audit says of an attempt: its result alone, or with what it found. */
export type AuditAnswer =
  | AuditResult
  | { readonly result: AuditResult; readonly findings: ReadonlyArray<Omit<Finding, 'audit'>> };

/** One audit: what it can prove of an attempt. What it cannot prove is not_auditable, never pass. */
export type Audit = (attempt: Attempt) => AuditAnswer;

/** The audits by name. An absent one has not looked, and says so. */
export type Audits = Readonly<Partial<Record<AuditName, Audit>>>;

export interface Audited {
  readonly summary: AuditSummary;
  readonly findings: readonly Finding[];
}

/** All audits of an attempt, in the order of the summary. */
export function auditOf(audits: Audits, attempt: Attempt): Audited {
  const findings: Finding[] = [];
  const resultOf = (audit: AuditName): AuditResult => {
    const answer = audits[audit]?.(attempt) ?? 'not_auditable';
    if (typeof answer === 'string') return answer;
    for (const finding of answer.findings) findings.push({ audit, ...finding });
    return answer.result;
  };
  const summary = {
    tokens: resultOf('tokens'),
    template: resultOf('template'),
    tools: resultOf('tools'),
    termination: resultOf('termination'),
    numbers: resultOf('numbers'),
    wall: resultOf('wall'),
  };
  return { summary, findings };
}
