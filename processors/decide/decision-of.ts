import type { Decision } from '../../schemas/generated/decision.ts';
import type { Cause } from '../model/attempt.ts';
import type { AgedLeaver } from '../model/closing.ts';
import type { InForce } from '../model/control.ts';
import type { FlatSegment } from './segments-of.ts';

export interface DecisionParts {
  readonly leaver: AgedLeaver;
  readonly cause: Cause;
  readonly unit: string;
  readonly partition: number;
  readonly inForce: InForce;
  readonly segments: readonly FlatSegment[];
  readonly scoreId: string;
  readonly replayId: string;
  readonly supersedes: string | null;
  readonly held: boolean;
}

/** One row a closed attempt, whatever became of it. */
export function decisionOf({
  leaver,
  cause,
  unit,
  partition,
  inForce,
  segments,
  scoreId,
  replayId,
  supersedes,
  held,
}: DecisionParts): Decision {
  const { attempt, judgement, weights } = leaver;
  const { identity } = attempt;
  return {
    run_id: identity.run_id,
    purpose: identity.purpose,
    env_name: identity.env_name,
    task_id: identity.task_id,
    epoch: identity.epoch,
    group_id: identity.group_id,
    group_size: identity.group_size,
    rollout_id: identity.rollout_id,
    attempt: identity.attempt,
    unit,
    replay_id: replayId,
    reason_code: judgement.code,
    reason_raw:
      judgement.reasons.find((reason) => reason.code === judgement.code)?.raw ?? judgement.reasons[0]?.raw ?? null,
    category: judgement.category,
    finish_reason: judgement.finishReason,
    verifier_status: judgement.verifierStatus,
    disposition: judgement.ruling === 'wait' ? 'unknown' : judgement.ruling,
    why: [...judgement.why],
    rule: judgement.rule,
    conflicts: judgement.conflicts.map(({ text }) => text),
    infra_share: judgement.infraShare,
    policy_share: judgement.policyShare,
    reward: judgement.reward,
    reward_valid: judgement.rewardValid,
    advantage: leaver.advantage,
    in_loss: judgement.inLoss,
    in_baseline: judgement.inBaseline,
    counts_for_size: judgement.countsForSize,
    held,
    policy_id: inForce.policy_id,
    taxonomy_id: inForce.taxonomy_id,
    score_id: scoreId,
    supersedes,
    weights_version_min: weights.min,
    weights_version_max: weights.max,
    lag: weights.lag,
    n_turns: attempt.calls,
    n_tokens: segments.reduce((sum, segment) => sum + segment.ownTokens, 0),
    n_sampled_tokens: segments.reduce((sum, segment) => sum + segment.sampledTokens, 0),
    started_at: attempt.startedAtUs,
    ended_at: attempt.endedAtUs,
    decided_at: cause.appendedAtMs * 1000,
    partition,
    first_offset: attempt.firstOffset,
    offset: cause.offset,
  };
}
