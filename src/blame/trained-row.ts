/** One trajectory that a step trained, as the named query `blame_step` gives it. */
export interface TrainedRow {
  readonly run_id: string;
  readonly step: number;
  readonly lineage: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  /** The version that was trained; '': as it was decided live. */
  readonly replay_id: string;
  readonly env_name: string;
  readonly task_id: string;
  /** What accounting counts; '': its decision is not there. */
  readonly reason: string;
  readonly disposition: string;
  /** null: none that is valid. */
  readonly reward: number | null;
  /** null: none was computed, which is not 0. */
  readonly advantage: number | null;
  /** null: its trajectory is not there. */
  readonly loss_tokens: number | null;
  /** |advantage| × loss tokens; null where one of them is. */
  readonly weight: number | null;
  readonly tokens: number;
  /** At use; null: unknown. */
  readonly lag: number | null;
  /** Finding classes of the audits. */
  readonly classes: readonly string[];
  /** Some audit could look at it. */
  readonly is_audited: boolean;
}
