import type { InForce } from '../../processors/model/control.ts';
import type { DecisionRow } from '../../processors/model/effects.ts';
import type { OpenAttemptFound } from '../clickhouse/open-attempts-lookup.ts';

export interface LostAt {
  readonly partition: number;
  /** Cause. */
  readonly offset: number;
  readonly decidedAtMs: number;
  readonly inForce: InForce;
}

/** The row of an attempt whose events the log has forgotten: dropped, and its reason has a book of its own. What is not known is null. */
export function lostDecision(open: OpenAttemptFound, { partition, offset, decidedAtMs, inForce }: LostAt): DecisionRow {
  const { unit, started_at, offset: first_offset, ...identity } = open;
  return {
    ...identity,
    unit,
    replay_id: '',
    reason_code: 'lost',
    reason_raw: null,
    category: 'infra_fault',
    finish_reason: null,
    verifier_status: 'none',
    disposition: 'drop',
    why: ['lost'],
    rule: '',
    conflicts: [],
    infra_share: null,
    policy_share: null,
    reward: null,
    reward_valid: false,
    advantage: null,
    in_loss: false,
    in_baseline: false,
    counts_for_size: false,
    held: false,
    policy_id: inForce.policy_id,
    taxonomy_id: inForce.taxonomy_id,
    score_id: '',
    supersedes: null,
    weights_version_min: null,
    weights_version_max: null,
    lag: null,
    n_turns: 0,
    n_tokens: 0,
    n_sampled_tokens: 0,
    started_at,
    ended_at: null,
    decided_at: decidedAtMs * 1000,
    partition,
    first_offset,
    offset,
  };
}
