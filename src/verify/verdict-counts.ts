import type { VerdictStatus } from '../../schemas/generated/step-event.ts';
import type { RefusedRollouts } from '../rescore/replay-source.ts';

/** What became of the attempts that a verifier was to judge. */
export interface VerdictCounts {
  /** Answered, refused ones too. */
  readonly done: number;
  /** Of them known from before: nothing was asked. */
  readonly cached: number;
  readonly byStatus: Readonly<Partial<Record<VerdictStatus, number>>>;
  /** No verdicts: by why, the first few by name. */
  readonly refused: readonly RefusedRollouts[];
  /** Sum of what the answers said, those from before left out; null: none said anything. */
  readonly cost: number | null;
  readonly seconds: number;
}

/** How far it is. */
export interface VerifierProgress extends VerdictCounts {
  /** null: unknown. */
  readonly total: number | null;
  /** Seconds that are left at the rate until now; null: unknown. */
  readonly etaS: number | null;
}
