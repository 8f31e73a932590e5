import type { ReencodeCount } from '../../processors/audit/deep-audits.ts';
import type { Finding } from '../../processors/model/audit-summary.ts';
import type { AuditSummary } from '../../schemas/generated/trajectory.ts';
import type { RerenderCount } from './rerender-count.ts';

/** What the audits say of one attempt: plain data, so that it can come from a worker. */
export interface AttemptReport {
  readonly runId: string;
  readonly envName: string;
  readonly epoch: number;
  readonly groupId: string | null;
  readonly rolloutId: string;
  readonly attempt: number;
  /** File that it begins in, where its events stand on several lines; null: the one that is being read. */
  readonly file: string | null;
  /** Its line, or the one that it begins on. */
  readonly line: number | null;
  /** Reason that decided, and its category. */
  readonly code: string;
  readonly category: string;
  readonly modelCalls: number;
  readonly sampledTokens: number;
  /** Its start names the tokenizer. */
  readonly namesTokenizer: boolean;
  readonly summary: AuditSummary;
  /** By audit that is not_auditable: what it lacked. */
  readonly missing: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
  readonly reencode: ReencodeCount | null;
  readonly rerender: RerenderCount | null;
  /** Set where its id or number depends on other lines of its file: whoever sees all of them numbers it. */
  readonly numbering: Numbering | null;
  /** Its place in a sample; null: all are looked at. */
  readonly sampleHash: number | null;
}

export interface Numbering {
  readonly sha256: string;
  /** line: its id is its line. attempt: of lines with one id, an aborted one is followed by the next attempt. */
  readonly by: 'line' | 'attempt';
  readonly aborted: boolean;
}

/** A line that could not be taken. */
export interface RefusedLine {
  readonly line: number;
  readonly message: string;
}

/** What a part of a file gave. */
export interface BlockReport {
  readonly attempts: readonly AttemptReport[];
  readonly refused: readonly RefusedLine[];
  readonly lines: number;
  readonly events: number;
  /** Events that were not folded, by reason, and attempts that a higher one fenced off, as `superseded`. */
  readonly faults: Readonly<Record<string, number>>;
  /** Attempts that the sample does not hold. */
  readonly passedOver: number;
}
