import type { RollstreamError } from '../../errors.ts';

/**
 * Who sends a body, as far as its records are concerned. What may not be taken of a run (it is not the sender's, it is closed) is named
 * in the answer and not kept: dead-letter is for its run's own, and whoever may not write there must not fill it, nor plant in it.
 */
export interface SenderRuns {
  /** Why no record of this run is taken from the sender; null: they may be. From memory. */
  refusal(run: string): RollstreamError | null;
  /** All records are of this run, since the sender has no other; null: nobody knows before they are read. */
  readonly only: string | null;
}

/** The sender may write to every run. */
export const EVERY_RUN: SenderRuns = { refusal: () => null, only: null };
