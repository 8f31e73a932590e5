/** What a replay changed, counted so that the tallies of its pieces add up. Also the JSON of the report. */
export interface DiffTally {
  /** Attempts that were decided before and are now. */
  readonly attempts: number;
  readonly same: number;
  /** Decided otherwise: another reason, category, disposition, reward or advantage. */
  readonly changed: number;
  /** Decided before, not now: their start would have been refused. */
  readonly vanished: number;
  /** Decided now, not before. */
  readonly appeared: number;
  readonly reasons: readonly DiffCell[];
  readonly categories: readonly DiffCell[];
  readonly dispositions: readonly DiffCell[];
  readonly rewards: RewardDiff;
  readonly advantages: AdvantageDiff;
  /** The first MOST_NAMED of those that changed, vanished or appeared, by unit, rollout and attempt. */
  readonly examples: readonly ChangedAttempt[];
  /** Absent: there are no new verdicts about what was replayed. */
  readonly verdicts?: VerdictDiff;
}

/** What new verdicts did; each is counted once. */
export interface VerdictDiff {
  /** In the place of what the same scorer said of the same attempt and turn. */
  readonly replaced: number;
  /** The attempt has verdicts, none of them of that scorer and turn: what the new one says is added to what they say. */
  readonly beside: number;
  /** The attempt has no other. */
  readonly first: number;
  /** Scorers of what they stand beside, the most frequent first. */
  readonly scorers: ReadonlyArray<{ readonly scorer: string; readonly n: number }>;
}

/** From one value to another; equal ones too, so that a row of the matrix adds up. */
export interface DiffCell {
  readonly from: string;
  readonly to: string;
  readonly n: number;
  /** A few of them, by rollout id. Empty where nothing changed. */
  readonly examples: readonly string[];
}

export interface RewardDiff {
  /** Old → new; 'null' where it is none or not valid. At most MOST_PAIRS; the rest is in `other`. */
  readonly matrix: readonly DiffCell[];
  readonly other: number;
  readonly changed: number;
  /** Valid before and after. */
  readonly both: number;
  /** Sums over `both`, so that tallies add up; their means are theirs divided by it. */
  readonly sum_before: number;
  readonly sum_after: number;
  /** From above 0 to below, or the other way, or from and to 0. */
  readonly sign_flips: number;
}

export interface AdvantageDiff {
  /** Groups of which a member's advantage moved by more than 1e-9. */
  readonly groups_moved: number;
  readonly attempts_moved: number;
  /** Of those that have one before and after. */
  readonly largest: number;
  /** Groups that moved most, by the member of each that did. */
  readonly examples: ReadonlyArray<{ readonly unit: string; readonly before: number; readonly after: number }>;
}

export interface ChangedAttempt {
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly before: DecidedAs | null;
  readonly after: DecidedAs | null;
  /** Why its start would have been refused; '': it would not. */
  readonly refused: string;
}

export interface DecidedAs {
  readonly reason_code: string;
  readonly category: string;
  readonly disposition: string;
  readonly why: string;
  readonly reward: number | null;
  readonly advantage: number | null;
}
