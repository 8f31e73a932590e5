import type { Disposition, Reason } from '../../schemas/generated/trajectory.ts';

/** One attempt judged by itself, without its group. */
export interface Judgement extends Scored {
  /** wait: a verdict that the policy requires has not come. */
  readonly ruling: Disposition | 'wait';
  /** Why, the counted reason first. */
  readonly why: readonly string[];
  /** Where in the policy it was decided, such as `codes.wall_clock`; empty: no rule of it. */
  readonly rule: string;
  readonly inLoss: boolean;
  readonly inBaseline: boolean;
  readonly countsForSize: boolean;
}

/** Two facts that cannot both be. */
export interface Conflict {
  /** `termination_conflict`: about why the loop ended, whose own word cannot be taken for it; the others leave the reason standing. */
  readonly class: ConflictClass;
  /** Both sides, in words. */
  readonly text: string;
}

export type ConflictClass =
  | 'termination_conflict'
  | 'unanswered_calls'
  | 'overrun'
  | 'steps_after_end'
  | 'verifier_nondeterministic'
  | 'verdict_contradiction';

/** Three facts (why the loop ended, what the engine said last, what a verifier said) and the reward that follows. */
export interface Scored {
  readonly reasons: readonly Reason[];
  /** The reason that decided: of the list, the highest in precedence. */
  readonly code: string;
  readonly category: string;
  readonly finishReason: string | null;
  /** Status of the verdict that counted; none: there is no verdict. */
  readonly verifierStatus: string;
  /** Code of what the verifier did not say; null: it answered, did not run by design, or is awaited. */
  readonly verifierFault: string | null;
  /** Contradictions between the facts, both sides of each. */
  readonly conflicts: readonly Conflict[];
  /** Share of the wall clock that was the infrastructure's, and the policy's own sampling; null: the events do not say. */
  readonly infraShare: number | null;
  readonly policyShare: number | null;
  readonly reward: number | null;
  readonly rewardValid: boolean;
  readonly components: Readonly<Record<string, number | null>>;
}
