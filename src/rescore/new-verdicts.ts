import type { Verdict } from '../../schemas/generated/step-event.ts';

/** A verdict that a verifier gave or a file holds, with the attempt that it is about. */
export interface NewVerdictOf {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly verdict: Verdict;
}
