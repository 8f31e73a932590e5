import type { Verdict } from '../../schemas/generated/step-event.ts';
import type { Audited } from './audit-summary.ts';
import type { DecisionRow, Rows } from './effects.ts';
import type { Decoded } from './record.ts';

/** An attempt as it was decided before: what a replay is compared with, and supersedes. */
export type ComparedDecision = Pick<
  DecisionRow,
  | ('rollout_id' | 'attempt' | 'reason_code' | 'category' | 'disposition' | 'why' | 'reward' | 'reward_valid')
  | ('advantage' | 'score_id' | 'policy_id' | 'taxonomy_id' | 'offset')
  // `logprob_invalid`: without its tokens nobody could find that again.
  | 'reason_raw'
>;

/** A verdict that a verifier gave afterwards, or a file holds. Takes the place of what the same scorer said about the same turn. */
export interface NewVerdict {
  readonly rolloutId: string;
  readonly attempt: number;
  readonly verdict: Verdict;
}

/** All that the log or the store holds of one unit, below the offset that the replay ends at. */
export interface UnitHistory {
  /** The message key. */
  readonly unit: string;
  readonly partition: number;
  /** Accepted and refused events of the unit, deadlines about it among them. Holds: in order of offset, each offset once. */
  readonly records: readonly Decoded[];
  /** Verdicts that came when their attempt had been decided. */
  readonly lateVerdicts: readonly Decoded[];
  readonly newVerdicts: readonly NewVerdict[];
  readonly decided: readonly ComparedDecision[];
  /** Rollouts with an attempt whose start was accepted, and which is not decided below that offset. */
  readonly open: readonly string[];
  /** What the audits said, by `attemptKey`; an absent attempt was not audited. Not asked for where they are made again. */
  readonly audited: ReadonlyMap<string, Audited>;
}

/** Rows of a unit under the replay's id. */
export type ReplayedRows = Pick<Rows, 'decisions' | 'rewards' | 'trajectories' | 'audits'>;

/** An attempt that was decided before, and under the replay is not: its start would have been refused. */
export interface Vanished {
  readonly rolloutId: string;
  readonly attempt: number;
  /** Why it was refused, as in `step_faults`: already_decided, group_closed … */
  readonly reason: string;
}

/** What a replay makes of a unit: all of it or none, since a group with scores of two kinds has no baseline. */
export type ReplayedUnit =
  | { readonly kind: 'replayed'; readonly rows: ReplayedRows; readonly vanished: readonly Vanished[] }
  /** Not replayed: a member is open (`open`), its records are gone (`records_lost`), a verifier could not answer … */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly detail: string;
      readonly rollouts: readonly string[];
    };
