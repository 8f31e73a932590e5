import { map, type OperatorFunction } from 'rxjs';
import type { RetryRequestInit } from '../../schemas/generated/retry-request.ts';
import type { Attempt, Cause } from '../model/attempt.ts';
import { AUDIT_NAMES, NOT_AUDITED } from '../model/audit-summary.ts';
import type { AgedLeaver, AgedLeaving, Leaver, Leaving } from '../model/closing.ts';
import { countingVerdicts } from '../model/counting-verdicts.ts';
import { DEFERRED } from '../model/effects.ts';
import { gateOf, isClosed } from '../model/gate.ts';
import { isKept } from '../model/is-kept.ts';
import { isRepeated, type LaneState } from '../model/lane-state.ts';
import type { Policy } from '../model/policy.ts';
import { auditRows } from './audit-rows.ts';
import { buildTrajectory } from './build-trajectory.ts';
import { decisionOf } from './decision-of.ts';
import { scoreIdOf } from './score-id.ts';
import { flatSegment } from './segments-of.ts';

/** Whose decisions these are, and what of the token data they need. */
export interface DecideAs {
  /** '': the live lane's. */
  readonly replayId: string;
  /** The score that takes the place of another: its id; null: it is the first of the attempt. */
  readonly supersedes: (attempt: Attempt, scoreId: string) => string | null;
  readonly flatten: typeof flatSegment;
  /** false: without token data there is no trajectory, neither a row nor a record. */
  readonly travels: boolean;
  /** false: nobody keeps what the audits said. Absent: it becomes rows. */
  readonly tellsAudits?: boolean;
}

export const LIVE: DecideAs = { replayId: '', supersedes: () => null, flatten: flatSegment, travels: true };

/** Where an attempt goes: rows for SQL and a record for the topic of its disposition. Hands down how many were decided. */
export function createDecide(
  state: LaneState,
  policyInForce: () => Policy,
  { replayId, supersedes: supersededBy, flatten, travels, tellsAudits = true }: DecideAs = LIVE,
): OperatorFunction<readonly AgedLeaving[], number> {
  const decideOne = (leaving: AgedLeaving, leaver: AgedLeaver) => {
    const { attempt, judgement } = leaver;
    const { cause, unit } = leaving;
    const learns = judgement.inLoss;
    const segments = attempt.segments.map((segment) => flatten(segment, learns, leaver.weights.masked));
    const scoreId = scoreIdOf(attempt, state.inForce);
    const supersedes = supersededBy(attempt, scoreId);
    const topic = topicOf(state, policyInForce(), leaver);
    const { rows, records } = state.effects;
    const decision = decisionOf({
      leaver,
      cause,
      unit: unit.key,
      partition: state.partition,
      inForce: state.inForce,
      segments,
      scoreId,
      replayId,
      supersedes,
      held: topic === 'held',
    });
    rows.decisions.push(decision);
    // Superseded is in `decisions` alone: what it had done so far is no result.
    if (judgement.ruling === 'superseded') return;
    pushRewards(state, leaving, leaver, { scoreId, replayId });
    if (tellsAudits) pushAudits(state, leaving, leaver, replayId);
    if (!travels) return;
    const { groupSizeActual } = leaving;
    const trajectory = buildTrajectory({
      leaver,
      groupSizeActual,
      cause,
      partition: state.partition,
      inForce: state.inForce,
      segments,
      scoreId,
      supersedes,
    });
    rows.trajectories.push({ trajectory, unit: unit.key, replay_id: replayId, offset: cause.offset });
    if (topic === null) {
      const retry = retryOf(leaver, cause, state, policyInForce());
      records.push({ topic: 'retries', key: unit.key, offset: cause.offset, retry });
    } else
      records.push({
        topic,
        key: unit.key,
        offset: cause.offset,
        trajectory,
      });
  };

  return map(function decide(leavings) {
    let decided = 0;
    for (const leaving of leavings) {
      if (isRepeated(state, leaving.cause.offset)) continue;
      for (const leaver of leaving.members) decideOne(leaving, leaver);
      decided += leaving.members.length;
    }
    return decided;
  });
}

/** null: it is run again. While the gate of its run is closed, what would be ready is held. */
function topicOf(
  { inForce }: LaneState,
  policy: Policy,
  { attempt, judgement }: Leaver,
): 'ready' | 'held' | 'rejected' | null {
  if (judgement.ruling === 'retry') return null;
  if (!isKept(judgement.ruling)) return 'rejected';
  const { run_id: runId, env_name: envName } = attempt.identity;
  return isClosed(gateOf(inForce.gates, runId, policy.scopeOf(runId, envName).gate)) ? 'held' : 'ready';
}

function retryOf(
  { attempt, judgement }: Leaver,
  cause: Cause,
  state: LaneState,
  { backoff }: Policy,
): RetryRequestInit {
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
    next_attempt: identity.attempt + 1,
    reason: judgement.code,
    not_before: notBeforeUs(cause, backoff, identity.attempt),
    policy_id: state.inForce.policy_id,
    partition: state.partition,
    offset: cause.offset,
  };
}

/** By the append time of the closing record, so that it is the same on each reading of the log. */
function notBeforeUs({ appendedAtMs }: Cause, { firstMs, factor, mostMs }: Policy['backoff'], attempt: number) {
  const waitMs = Math.min(mostMs, firstMs * factor ** attempt);
  return waitMs > 0 ? Math.round((appendedAtMs + waitMs) * 1000) : null;
}

function pushRewards(
  state: LaneState,
  { cause, unit }: Leaving,
  { attempt }: Leaver,
  { scoreId, replayId }: { readonly scoreId: string; readonly replayId: string },
): void {
  const { run_id, epoch, rollout_id, attempt: number } = attempt.identity;
  for (const { scorer, scorerVersion, status, rewards, boundTo } of countingVerdicts(attempt.verdicts)) {
    // A verdict without a reward is a row too: it says that nothing was said.
    const named: Array<[string, number | null]> =
      Object.keys(rewards).length === 0 ? [['', null]] : Object.entries(rewards);
    for (const [component, value] of named)
      state.effects.rows.rewards.push({
        run_id,
        epoch,
        unit: unit.key,
        rollout_id,
        attempt: number,
        replay_id: replayId,
        scorer,
        scorer_version: scorerVersion,
        turn: boundTo,
        component,
        value,
        status,
        policy_id: state.inForce.policy_id,
        score_id: scoreId,
        started_at: attempt.startedAtUs,
        partition: state.partition,
        offset: cause.offset,
      });
  }
}

/** What each audit said; of one that is deferred, whoever makes it says it. */
function pushAudits(state: LaneState, { cause, unit }: Leaving, { attempt }: Leaver, replayId: string): void {
  const { run_id, epoch, rollout_id, attempt: number } = attempt.identity;
  const audited = attempt.audited ?? NOT_AUDITED;
  const of = {
    ...{ run_id, epoch, unit: unit.key, rollout_id, attempt: number, started_at: attempt.startedAtUs },
    ...{ partition: state.partition, offset: cause.offset, replay_id: replayId },
  };
  for (const audit of AUDIT_NAMES) {
    const missing = audited.missing[audit] ?? null;
    if (missing === DEFERRED) continue;
    const findings = audited.findings.filter((finding) => finding.audit === audit);
    state.effects.rows.audits.push(...auditRows(of, audit, { result: audited.summary[audit], findings, missing }));
  }
}
