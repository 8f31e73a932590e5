import type { Disposition } from '../../schemas/generated/trajectory.ts';

/** What becomes of a code or a category. */
export interface CodeRule {
  readonly disposition: Exclude<Disposition, 'superseded' | 'unknown'>;
  /** Reward when the verifier did not run by design: a number, or null (a score is required, its absence is a verifier fault). */
  readonly unscored: number | null;
  /** A verdict has to come before it is decided. */
  readonly awaitsVerdict: boolean;
}

export interface GroupRule {
  /** Fewest members with a valid reward for a group to train; a smaller group size lowers it. */
  readonly minValid: number;
  readonly baseline: 'mean' | 'leave_one_out' | 'grpo' | 'none';
  /** grpo: divide by the standard deviation. */
  readonly divideByStd: boolean;
  readonly ddof: number;
  readonly eps: number;
}

/** The versioned document that decides rewards and dispositions. */
export interface Policy {
  /** SHA-256 of the document, hex. */
  readonly id: string;
  readonly name: string;
  readonly codes: ReadonlyMap<string, CodeRule>;
  readonly categories: ReadonlyMap<string, CodeRule>;
  /** Retries of a rollout before a fault drops it. */
  readonly retryLimit: number;
  readonly group: GroupRule;
}
