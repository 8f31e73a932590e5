import type { TrajectoryInit } from '../../schemas/generated/trajectory.ts';
import type { Attempt, Cause } from '../model/attempt.ts';
import { NOT_AUDITED } from '../model/audit-summary.ts';
import type { AgedLeaver } from '../model/closing.ts';
import type { InForce } from '../model/control.ts';
import { countingVerdicts } from '../model/counting-verdicts.ts';
import { turnRewardsOf } from '../model/turn-reward.ts';
import { wallPartsOf } from '../model/wall-parts.ts';
import type { FlatSegment } from './segments-of.ts';

export interface TrajectoryParts {
  readonly leaver: AgedLeaver;
  readonly groupSizeActual: number | null;
  readonly cause: Cause;
  readonly partition: number;
  readonly inForce: InForce;
  readonly segments: readonly FlatSegment[];
  readonly scoreId: string;
  readonly supersedes: string | null;
}

/** What the trainer takes, and what is kept of what it does not take. */
export function buildTrajectory({
  leaver,
  groupSizeActual,
  cause,
  partition,
  inForce,
  segments,
  scoreId,
  supersedes,
}: TrajectoryParts): TrajectoryInit {
  const { attempt, judgement, weights } = leaver;
  const { start, identity } = attempt;
  const audited = attempt.audited ?? NOT_AUDITED;
  const verdicts = countingVerdicts(attempt.verdicts);
  const turnRewards = turnRewardsOf(verdicts);
  const segmentLossTokens = segments.map((segment) => segment.lossTokens);
  // Field by field here and in the other rows: a spread leaves an object that V8 holds as a hash table, ten times as slow.
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
    segments: segments.map(({ segment }) => segment),
    turns: attempt.turns.map(
      ({ turn, segmentId, start: from, end, callId, finishReason, temperature, topP, logprobsMode }) => ({
        turn,
        segment_id: segmentId,
        start: from,
        end,
        call_id: callId,
        finish_reason: finishReason,
        temperature,
        top_p: topP,
        logprobs_mode: logprobsMode,
        reward: turnRewards.get(turn) ?? null,
      }),
    ),
    aux: attempt.aux,
    reasons: [...judgement.reasons],
    category: judgement.category,
    finish_reason: judgement.finishReason,
    verdicts: verdicts.map(({ scorer, scorerVersion, status, rewards, boundTo }) => ({
      scorer,
      scorer_version: scorerVersion,
      status,
      rewards: { ...rewards },
      bound_to: boundTo,
    })),
    reward: judgement.reward,
    reward_valid: judgement.rewardValid,
    reward_components: { ...judgement.components },
    advantage: leaver.advantage,
    group_stats: leaver.groupStats,
    in_loss: judgement.inLoss,
    in_baseline: judgement.inBaseline,
    disposition: judgement.ruling === 'wait' ? 'unknown' : judgement.ruling,
    why: [...judgement.why],
    policy_id: inForce.policy_id,
    taxonomy_id: inForce.taxonomy_id,
    score_id: scoreId,
    supersedes,
    audit: audited.summary,
    audit_missing: { ...audited.missing },
    wall_ms: wallPartsOf(attempt) ?? sumsOf(attempt),
    group_size_expected: identity.group_size,
    group_size_actual: leaver.groupIndex === null ? null : groupSizeActual,
    group_index: leaver.groupIndex,
    segment_count: segments.length,
    segment_loss_tokens: segmentLossTokens,
    rollout_loss_tokens: segmentLossTokens.reduce((sum, tokens) => sum + tokens, 0),
    weights_version_min: weights.min,
    weights_version_max: weights.max,
    lag: weights.lag,
    task_metadata: start?.task_metadata_json ?? null,
    tokenizer_sha256: start?.tokenizer_sha256 ?? null,
    template_sha256: start?.template_sha256 ?? null,
    tool_calls_unanswered: attempt.openCalls.length,
    tool_results_unasked: attempt.unaskedResults,
    started_at: attempt.startedAtUs,
    ended_at: attempt.endedAtUs,
    partition,
    first_offset: attempt.firstOffset,
    last_offset: cause.offset,
    ready_at: cause.appendedAtMs * 1000,
  };
}

/** Where events give durations alone: work in parallel counts as often as it ran. */
function sumsOf({ wallUs }: Attempt): Record<string, number> {
  return Object.fromEntries(Object.entries(wallUs).map(([phase, us]) => [phase, us / 1000]));
}
