import type { Decision } from '../../schemas/generated/decision.ts';
import type { RetryRequestInit } from '../../schemas/generated/retry-request.ts';
import type { StepEvent, VerdictStatus } from '../../schemas/generated/step-event.ts';
import type { TrajectoryInit } from '../../schemas/generated/trajectory.ts';
import type { Evidence } from './audit-summary.ts';
import type { Fault } from './outcome.ts';

/**
 * All that a cut may hold. Every row and record names its cause offset: the record whose folding produced it. The lane adds
 * the term, and with it the row version (term × 2^48 + cause offset).
 */
export interface Effects {
  readonly rows: Rows;
  readonly records: OutRecord[];
}

export interface Rows {
  readonly steps: StepRow[];
  readonly step_faults: StepFaultRow[];
  readonly attempts: AttemptRow[];
  readonly decisions: DecisionRow[];
  readonly trajectories: TrajectoryRow[];
  readonly rewards: RewardRow[];
  readonly verdicts: VerdictRow[];
  readonly audits: AuditRow[];
  readonly dead_letters: DeadLetterRow[];
}

export type EffectTable = keyof Rows;

/** An accepted event. */
export interface StepRow {
  readonly event: StepEvent;
  readonly unit: string;
  readonly partition: number;
  readonly offset: number;
  /** Append time, ms since the epoch. */
  readonly appendedAtMs: number;
  /** Cause offset, where it is not the record's own: an orphan is accepted, or given up, by a later record. */
  readonly cause: number;
}

/** A readable event that was not folded. */
export interface StepFaultRow {
  /** duplicate, conflicting_duplicate, late, stale_attempt, already_decided, group_closed, orphan, not_owner, group_size_conflict, group_overfull, task_conflict … */
  readonly reason: string;
  readonly detail: string;
  readonly event: StepEvent;
  readonly unit: string;
  readonly partition: number;
  readonly offset: number;
  readonly appendedAtMs: number;
  /** Cause offset, where it is not the record's own: an orphan is accepted, or given up, by a later record. */
  readonly cause: number;
}

export interface AttemptRow {
  readonly event: StepEvent;
  readonly unit: string;
  readonly partition: number;
  /** Offset of the start event. */
  readonly offset: number;
  readonly appendedAtMs: number;
}

export type DecisionRow = Decision;

export interface TrajectoryRow {
  readonly trajectory: TrajectoryInit;
  readonly unit: string;
  readonly replay_id: string;
  readonly offset: number;
}

/** One component of a reward. */
export interface RewardRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly replay_id: string;
  readonly scorer: string;
  readonly scorer_version: string;
  /** Model call it is bound to; null: the attempt. */
  readonly turn: number | null;
  /** Name of the component. */
  readonly component: string;
  /** null: missing. Null is not 0. */
  readonly value: number | null;
  readonly status: VerdictStatus;
  readonly policy_id: string;
  readonly score_id: string;
  /** Start of the attempt, µs since the epoch; null when the source has no time. */
  readonly started_at: number | null;
  readonly partition: number;
  readonly offset: number;
}

export interface VerdictRow {
  readonly event: StepEvent;
  readonly unit: string;
  /** It came after its unit was closed: kept for replay. */
  readonly late: boolean;
  readonly partition: number;
  readonly offset: number;
  readonly appendedAtMs: number;
  /** Cause offset, where it is not the record's own: an orphan is accepted, or given up, by a later record. */
  readonly cause: number;
}

/** What an audit lacks that is sampled: its rows come beside the lane's own, and the trajectory does not wait for them. */
export const DEFERRED = 'deferred';

/** One finding, or one result without findings (class ''). */
export interface AuditRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly replay_id: string;
  readonly audit: string;
  readonly result: 'pass' | 'fail' | 'warn' | 'not_auditable';
  readonly class: string;
  readonly severity: 'fail' | 'warn';
  readonly turn: number | null;
  readonly index: number | null;
  readonly detail: string;
  readonly evidence: Evidence;
  readonly started_at: number | null;
  readonly partition: number;
  readonly offset: number;
}

export interface DeadLetterRow {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly appendedAtMs: number;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly fault: Fault;
}

/** Output topics by role; the lane maps them to names with the configured prefix. */
export type OutTopic = 'ready' | 'held' | 'rejected' | 'retries' | 'dead_letter';

export type OutRecord =
  | {
      readonly topic: 'ready' | 'held' | 'rejected';
      readonly key: string;
      readonly offset: number;
      readonly trajectory: TrajectoryInit;
    }
  | { readonly topic: 'retries'; readonly key: string; readonly offset: number; readonly retry: RetryRequestInit }
  | { readonly topic: 'dead_letter'; readonly offset: number; readonly letter: DeadLetterRow };

export function emptyEffects(): Effects {
  return {
    rows: {
      steps: [],
      step_faults: [],
      attempts: [],
      decisions: [],
      trajectories: [],
      rewards: [],
      verdicts: [],
      audits: [],
      dead_letters: [],
    },
    records: [],
  };
}
