import { avroTypeOf } from '../../../../processors/decode/avro-type.ts';
import type { DecisionRow, StepRow, TrajectoryRow } from '../../../../processors/model/effects.ts';
import { unitOf } from '../../../../processors/model/unit.ts';
import { type DecisionInit, decisionSchema } from '../../../../schemas/generated/decision.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import { type Trajectory, type TrajectoryInit, trajectorySchema } from '../../../../schemas/generated/trajectory.ts';

const stepEventType = avroTypeOf(stepEventSchema);
const decisionType = avroTypeOf(decisionSchema);
const trajectoryType = avroTypeOf(trajectorySchema);

/** The value as a decoder gives it: the schema's defaults for what is not given. */
export function stepEventOf(value: unknown): StepEvent {
  return stepEventType.fromBuffer(stepEventType.toBuffer(value));
}

export function decisionOf(value: unknown): DecisionRow {
  return decisionType.fromBuffer(decisionType.toBuffer(value));
}

export function trajectoryOf(value: unknown): Trajectory {
  return trajectoryType.fromBuffer(trajectoryType.toBuffer(value));
}

export function sampleEvent(init: Partial<StepEventInit> = {}): StepEvent {
  return stepEventOf({
    run_id: 'run-1',
    env_name: 'env',
    task_id: 'task',
    rollout_id: 'r0',
    event_id: 'e0',
    producer_id: 'p',
    kind: 'start',
    source: { format: 'test' },
    ...(init.kind === undefined && { start: {} }),
    ...init,
  });
}

export function sampleStep(offset: number, init: Partial<StepEventInit> = {}): StepRow {
  const event = sampleEvent({ event_id: `e${offset}`, ...init });
  return { event, unit: unitOf(event), partition: 0, offset, cause: offset, appendedAtMs: 1_700_000_000_000 };
}

export function sampleDecision(offset: number, init: Partial<DecisionInit> = {}): DecisionRow {
  const row: DecisionInit = {
    run_id: 'run-1',
    env_name: 'env',
    task_id: 'task',
    rollout_id: 'r0',
    unit: 'run-1/0/r/r0',
    reason_code: 'task_complete',
    category: 'completion',
    verifier_status: 'scored',
    disposition: 'train',
    why: ['task_complete'],
    reward: 1,
    reward_valid: true,
    in_loss: true,
    in_baseline: true,
    counts_for_size: true,
    held: false,
    policy_id: 'p',
    taxonomy_id: 't',
    score_id: 's',
    n_turns: 1,
    n_tokens: 10,
    n_sampled_tokens: 5,
    decided_at: 1_700_000_000_000_000,
    partition: 0,
    first_offset: 0,
    offset,
    ...init,
  };
  return decisionOf(row);
}

export function sampleTrajectory(offset: number, init: Partial<TrajectoryInit> = {}): TrajectoryRow {
  const trajectory: TrajectoryInit = {
    run_id: 'run-1',
    env_name: 'env',
    task_id: 'task',
    rollout_id: 'r0',
    segments: [],
    turns: [],
    reasons: [],
    category: 'completion',
    reward_valid: true,
    in_loss: true,
    in_baseline: true,
    disposition: 'train',
    why: ['task_complete'],
    policy_id: 'p',
    taxonomy_id: 't',
    score_id: 's',
    audit: {
      tokens: 'not_auditable',
      template: 'not_auditable',
      tools: 'not_auditable',
      termination: 'not_auditable',
      numbers: 'not_auditable',
      wall: 'not_auditable',
      reencode: 'not_auditable',
    },
    audit_missing: { tokens: 'no token ids' },
    segment_count: 0,
    rollout_loss_tokens: 0,
    partition: 0,
    first_offset: 0,
    last_offset: offset,
    ready_at: 1_700_000_000_000_000,
    ...init,
  };
  return { trajectory, unit: 'run-1/0/r/r0', replay_id: '', offset };
}
