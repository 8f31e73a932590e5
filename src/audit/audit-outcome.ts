import type { IntakeCounts } from './audit-intake.ts';
import type { AuditTally } from './audit-tally.ts';
import type { FileVerdict } from './gate-verdict.ts';
import type { RuledFinding } from './ruled-findings.ts';
import type { SampleSize } from './sample.ts';

/** All that a report is made of. */
export interface AuditOutcome {
  readonly tally: AuditTally;
  readonly gate: FileVerdict;
  readonly counts: IntakeCounts;
  /** What the findings of the policy keep from training. */
  readonly policy: { readonly name: string; readonly findings: readonly RuledFinding[] };
  readonly tokenizers: readonly GivenTokenizer[];
  /** null: all was looked at. */
  readonly sample: SampleSize | null;
}

export interface GivenTokenizer {
  readonly folder: string;
  readonly sha256: string;
}
