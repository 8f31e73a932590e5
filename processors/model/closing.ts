import type { GroupStats } from '../../schemas/generated/trajectory.ts';
import type { Attempt, Cause, Unit } from './attempt.ts';
import type { Judgement } from './judgement.ts';

/** What assembly hands down: attempts and units about which something may now be decided. Decoded events do not travel further. */
export type Candidate =
  /** All its events are there, and something changed. */
  | { readonly kind: 'whole'; readonly attempt: Attempt; readonly cause: Cause }
  /** A deadline passed, or it cannot go on: decided with what is there. */
  | { readonly kind: 'expired'; readonly attempt: Attempt; readonly cause: Cause; readonly deadline: string }
  /** A higher attempt started. */
  | { readonly kind: 'superseded'; readonly attempt: Attempt; readonly cause: Cause }
  /** The whole unit closes now. */
  | { readonly kind: 'unit_expired'; readonly unit: Unit; readonly cause: Cause; readonly deadline: string };

/** Attempts that leave at one offset, with what their group gave each. */
export interface Leaving {
  readonly unit: Unit;
  readonly cause: Cause;
  readonly members: readonly Leaver[];
  /** Members that left together as a group of known size; null: not a group. */
  readonly groupSizeActual: number | null;
}

export interface Leaver {
  readonly attempt: Attempt;
  readonly judgement: Judgement;
  readonly advantage: number | null;
  readonly groupStats: GroupStats | null;
  readonly groupIndex: number | null;
}

/** Age of the weights that sampled an attempt, by the versions in force when it closed. */
export interface WeightsAge {
  /** Oldest and newest version that sampled; null: unknown, or of an unknown order. */
  readonly min: string | null;
  readonly max: string | null;
  /** Version being updated − oldest that sampled; null: unknown. Unknown is not 0. */
  readonly lag: number | null;
  /** Versions whose tokens are out of the loss, though the attempt is in it. */
  readonly masked: ReadonlySet<string>;
}

/** A leaver and the age of what sampled it. */
export interface AgedLeaver extends Leaver {
  readonly weights: WeightsAge;
}

export interface AgedLeaving extends Leaving {
  readonly members: readonly AgedLeaver[];
}
