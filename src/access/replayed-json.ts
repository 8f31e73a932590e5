/** An attempt as a replay decided it. */
export interface ReplayedJson {
  readonly replay_id: string;
  /** Empty: it has none. */
  readonly label: string;
  /** When the replay was done, UTC. */
  readonly ended_at: string;
  /** No later replay decided its unit. */
  readonly latest: boolean;
  /** Of its row of `decisions`; null: under this replay it would not have been opened. */
  readonly decision: {
    readonly reason_code: string;
    readonly category: string;
    readonly disposition: string;
    readonly why: readonly string[];
    readonly reward: number | null;
    readonly reward_valid: boolean;
    readonly advantage: number | null;
    readonly policy_id: string;
    readonly taxonomy_id: string;
    /** Verifiers with their versions, and rules, that gave its reward a part. */
    readonly scorers: readonly string[];
    /** Topic; empty: it was not emitted. */
    readonly emitted_to: string;
  } | null;
}
