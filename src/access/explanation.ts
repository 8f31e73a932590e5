import type { ReadyState } from '../../processors/model/delivery.ts';
import type { GateState } from '../../processors/model/gate.ts';
import type { TrajectoryJson } from '../ready/trajectory-json.ts';
import type { ReplayedJson } from './replayed-json.ts';

/** A row of the store, as JSON. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** Everything decided about one rollout. One id may stand in several runs, epochs and groups. */
export interface Explanation {
  readonly rollout_id: string;
  readonly rollouts: readonly ExplainedRollout[];
}

export interface ExplainedRollout {
  readonly run_id: string;
  readonly epoch: number;
  /** Group, or the rollout alone, that its attempts were decided with. */
  readonly unit: string;
  /** What became of it and why, for a person. */
  readonly summary: string;
  /** null: it has no group. */
  readonly group: ExplainedGroup | null;
  readonly attempts: readonly ExplainedAttempt[];
}

export interface ExplainedAttempt {
  readonly attempt: number;
  /** What became of it and why, for a person. */
  readonly summary: string;
  /** What would have made it train, each by itself; empty: it trains, or nothing would have. */
  readonly would_train: readonly string[];
  /** Row of `attempts`; null for an orphan. */
  readonly started: JsonRow | null;
  /** Row of `decisions`; null while it is open. */
  readonly decision: DecisionJson | null;
  /** The record that closed it; null while it is open. */
  readonly closed_by: ClosingRecord | null;
  /** The policy that decided; null while it is open, and where the store does not hold it. */
  readonly policy: FiredPolicy | null;
  /** The parts of its reward, which add up to it. */
  readonly reward_parts: readonly RewardPart[];
  readonly rewards: readonly JsonRow[];
  readonly verdicts: readonly VerdictJson[];
  readonly steps: readonly JsonRow[];
  readonly step_faults: readonly JsonRow[];
  readonly audits: readonly JsonRow[];
  readonly trajectory: TrajectoryJson | null;
  /** The gate that keeps it from ready; absent: none does. */
  readonly held?: HeldBy;
  /** What became of it in delivery, in its run first, then in forks that took it over; absent: nothing was said of it. */
  readonly deliveries?: readonly DeliveryJson[];
  /** How finished replays decided it, the oldest first; absent: none did. */
  readonly replays?: readonly ReplayedJson[];
}

/** A row of `live_deliveries`. Times are UTC. */
export interface DeliveryJson extends JsonRow {
  /** The run that it is delivered in. */
  readonly run_id: string;
  /** As of now. */
  readonly state: ReadyState;
  /** As it was written, before rewinds and deadlines. */
  readonly recorded_state: ReadyState;
  readonly consumer: string;
  readonly lineage: number;
  readonly step: number | null;
  readonly reason: string;
  readonly weights_version: string;
  /** Lag at use; null: unknown. */
  readonly lag: number | null;
  readonly deliveries: number;
  readonly deadline: string | null;
  readonly taken_at: string | null;
  /** Its lease is past its deadline. */
  readonly ran_out: boolean;
}

/** The gate of a run, as of its last change. */
export interface HeldBy {
  readonly state: GateState;
  /** null: from the beginning. */
  readonly since: string | null;
  readonly by: 'evaluator' | 'release' | 'set' | 'policy';
  /** What tripped, or the reason that a person gave. */
  readonly why: unknown;
}

/** A row of `decisions`. */
export interface DecisionJson extends JsonRow {
  readonly purpose: string;
  readonly env_name: string;
  readonly disposition: string;
  readonly reason_code: string;
  readonly reason_raw: string | null;
  readonly category: string;
  readonly finish_reason: string | null;
  readonly verifier_status: string;
  readonly why: readonly string[];
  readonly rule: string;
  readonly conflicts: readonly string[];
  readonly infra_share: number | null;
  readonly policy_share: number | null;
  readonly reward: number | null;
  readonly reward_valid: boolean;
  readonly advantage: number | null;
  readonly in_loss: boolean;
  readonly in_baseline: boolean;
  /** The gate of its run was closed when it was decided. */
  readonly held: boolean;
  readonly policy_id: string;
  readonly weights_version_min: string | null;
  readonly weights_version_max: string | null;
  readonly lag: number | null;
  readonly n_turns: number;
  readonly n_tokens: number;
  readonly n_sampled_tokens: number;
  readonly partition: number;
  readonly offset: number;
}

/** A row of `verdicts`. */
export interface VerdictJson extends JsonRow {
  readonly scorer: string;
  readonly scorer_version: string;
  readonly status: string;
  readonly rewards: Readonly<Record<string, number | null>>;
  /** Model call that it judges; null: the whole attempt. */
  readonly bound_to: number | null;
  readonly late: boolean;
  /** superseded: a higher version of the scorer has answered the same; late: the attempt had closed. */
  readonly standing: 'counts' | 'superseded' | 'late';
}

export interface ClosingRecord {
  /** end, verdict, start (of a higher attempt), control … */
  readonly kind: string;
  /** Name of the deadline, where it was one. */
  readonly deadline: string | null;
  /** Whose event it was; empty: of no rollout. */
  readonly rollout_id: string;
  readonly partition: number;
  readonly offset: number;
}

/** One part of a reward, and what made it. */
export interface RewardPart {
  readonly name: string;
  /** null: missing. Null is not 0. */
  readonly value: number | null;
  readonly from: string;
}

export interface FiredPolicy {
  readonly policy_id: string;
  readonly name: string;
  /** The shipped or configured file that has this text; null: none has. */
  readonly file: string | null;
  /** What of it decided, the decisive rule first; empty: nothing that a policy can say. */
  readonly rules: readonly FiredRule[];
  /** Its limits on age, for where this came from. */
  readonly staleness: { readonly max_lag: number | null; readonly over: string; readonly unknown: string };
}

export interface FiredRule {
  /** Path in the document, such as `codes.wall_clock`. */
  readonly path: string;
  /** null: it is not written there, a default holds. */
  readonly line: number | null;
  readonly text: string | null;
}

export interface ExplainedGroup {
  readonly group_id: string;
  /** null: unknown; its members pass one by one. */
  readonly size: number | null;
  readonly min_valid: number | null;
  /** What advantages were computed from; null: there are none. */
  readonly stats: {
    readonly baseline: string;
    readonly n: number;
    readonly mean: number | null;
    readonly std: number | null;
  } | null;
  /** The newest attempt of each rollout. */
  readonly members: readonly GroupMember[];
}

export interface GroupMember extends JsonRow {
  readonly rollout_id: string;
  readonly attempt: number;
  /** null: open. */
  readonly disposition: string | null;
  readonly why: readonly string[];
  readonly reason_code: string;
  readonly reward: number | null;
  readonly reward_valid: boolean;
  readonly advantage: number | null;
  readonly in_loss: boolean;
  readonly in_baseline: boolean;
}
