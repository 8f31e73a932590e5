import type { StepEvent } from '../../schemas/generated/step-event.ts';
import type { AuditSummary } from '../../schemas/generated/trajectory.ts';
import type { Attempt } from './attempt.ts';
import type { Scored } from './judgement.ts';

export type AuditName = keyof AuditSummary;
export type AuditResult = AuditSummary[AuditName];

/** In the order of the summary. */
export const AUDIT_NAMES: readonly AuditName[] = [
  'tokens',
  'template',
  'tools',
  'termination',
  'numbers',
  'wall',
  'reencode',
];

/** What was there and what should have been: enough to file it with whoever made it. */
export interface Evidence {
  readonly ids?: readonly number[];
  readonly expectedIds?: readonly number[];
  readonly text?: string;
  readonly expectedText?: string;
}

/** Something that an audit found, with where it is. */
export interface Finding {
  readonly audit: AuditName;
  /** What the policy knows it by, such as `silent_repair`. */
  readonly class: string;
  /** fail: the record is not what was sampled or executed; warn: it may be, and somebody should look. */
  readonly severity: 'fail' | 'warn';
  /** Model call; null: none. */
  readonly turn: number | null;
  /** Token of its segment, or character of its text; null: none. */
  readonly index: number | null;
  /** One sentence for a person, with the call id or segment it is about. */
  readonly detail: string;
  readonly evidence?: Evidence;
}

/** A finding before it is known whose. */
export type Found = Omit<Finding, 'audit'>;

/** What an audit says of an attempt. */
export interface AuditAnswer {
  readonly result: AuditResult;
  readonly findings: readonly Found[];
  /** What it lacked, where it could not look; null: nothing. Holds: set if and only if the result is not_auditable. */
  readonly missing: string | null;
}

/** One audit: what it can prove of an attempt. What it cannot prove is not_auditable, never pass. */
export type Audit = (attempt: Attempt, scored: Scored) => AuditAnswer;

/** The audits that see a whole lane. */
export interface Audits {
  /** Sees the content of each accepted event after it was folded, in the order of folding, and keeps what it needs in `attempt.watch`. */
  readonly watch: (attempt: Attempt, event: StepEvent) => void;
  readonly byName: Readonly<Partial<Record<AuditName, Audit>>>;
}

export const NO_AUDITS: Audits = { watch: () => undefined, byName: {} };

/** All that the audits said of an attempt. */
export interface Audited {
  readonly summary: AuditSummary;
  /** By audit that is not_auditable: what it lacked. */
  readonly missing: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
}

/** All audits of an attempt, in the order of the summary. An absent one has not looked, and says so. */
export function auditOf({ byName }: Pick<Audits, 'byName'>, attempt: Attempt, scored: Scored): Audited {
  return auditedBy((audit) => byName[audit]?.(attempt, scored) ?? NOT_LOOKED);
}

export function auditedBy(answerOf: (audit: AuditName) => AuditAnswer): Audited {
  const findings: Finding[] = [];
  const missing: Record<string, string> = {};
  const resultOf = (audit: AuditName): AuditResult => {
    const answer = answerOf(audit);
    for (const found of answer.findings) findings.push(findingOf(audit, found));
    if (answer.missing !== null) missing[audit] = answer.missing;
    return answer.result;
  };
  const summary = {
    tokens: resultOf('tokens'),
    template: resultOf('template'),
    tools: resultOf('tools'),
    termination: resultOf('termination'),
    numbers: resultOf('numbers'),
    wall: resultOf('wall'),
    reencode: resultOf('reencode'),
  };
  return { summary, missing, findings };
}

/** Field by field: what copies an unknown object costs more than an audit. */
function findingOf(audit: AuditName, { class: name, severity, turn, index, detail, evidence }: Found): Finding {
  const found = { audit, class: name, severity, turn, index, detail };
  return evidence === undefined ? found : { ...found, evidence };
}

/** fail if one finding fails, else warn if there is one, else pass. */
export function answerOf(findings: readonly Found[]): AuditAnswer {
  if (findings.length === 0) return PASS;
  const result = findings.some(({ severity }) => severity === 'fail') ? 'fail' : 'warn';
  return { result, findings, missing: null };
}

export function notAuditable(missing: string): AuditAnswer {
  return { result: 'not_auditable', findings: [], missing };
}

const PASS: AuditAnswer = { result: 'pass', findings: [], missing: null };
const NOT_LOOKED = notAuditable('it has not looked');

/** Of an attempt that nothing has judged. */
export const NOT_AUDITED: Audited = auditedBy(() => NOT_LOOKED);
