import type { TrajectoryJson } from '../ready/trajectory-json.ts';

/** A row of the store, as JSON. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** Everything decided about one rollout. One id may stand in several runs and epochs. */
export interface Explanation {
  readonly rollout_id: string;
  readonly rollouts: readonly ExplainedRollout[];
}

export interface ExplainedRollout {
  readonly run_id: string;
  readonly epoch: number;
  readonly attempts: readonly ExplainedAttempt[];
}

export interface ExplainedAttempt {
  readonly attempt: number;
  /** Row of `attempts`; null for an orphan. */
  readonly started: JsonRow | null;
  /** Row of `decisions`; null while it is open. */
  readonly decision: JsonRow | null;
  readonly rewards: readonly JsonRow[];
  readonly verdicts: readonly JsonRow[];
  readonly steps: readonly JsonRow[];
  readonly step_faults: readonly JsonRow[];
  readonly audits: readonly JsonRow[];
  readonly trajectory: TrajectoryJson | null;
}
