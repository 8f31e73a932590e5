import type { DeadlineName, StepEvent } from '../../schemas/generated/step-event.ts';
import { type Attempt, attemptKey, type Cause, isStarted, isWhole, sawOf, type Unit } from '../model/attempt.ts';
import type { InForce } from '../model/control.ts';
import { isKept } from '../model/is-kept.ts';
import type { Judgement } from '../model/judgement.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Decoded } from '../model/record.ts';

export interface ClosingDeps {
  readonly state: LaneState;
  readonly judge: (attempt: Attempt) => Judgement;
  readonly inForceAt: (offset: number) => InForce;
  /** Where an attempt closed before. */
  readonly causeOf: (attempt: Attempt) => Cause;
  /** The last decision about the unit, or its last record. */
  readonly last: Cause;
}

/**
 * What the history leaves open is closed as by a deadline, each folded before the next is asked for. 1 a policy did not wait for a
 * verdict, and decided @8; 2 one that waits meets the end of the history: no lane ever asked for verdict_missing. A deadline of
 * this policy would have come at a time that nobody knows: it is that of the decision that this one is compared with.
 */
export function* closingEvents(unitKey: string, deps: ClosingDeps): Generator<Decoded> {
  const { state, judge, inForceAt, causeOf, last } = deps;
  const unit = state.units.get(unitKey);
  if (unit === undefined) return;
  const due = (attempt: Attempt): Cause => (unit.size === null ? causeOf(attempt) : last);
  const open = [...unit.attempts.values()].filter(isStarted).map((attempt) => ({ attempt, cause: due(attempt) }));
  open.sort((a, b) => a.cause.offset - b.cause.offset);
  for (const { attempt, cause } of open) {
    if (unit.attempts.get(attemptKey(attempt.rolloutId, attempt.number)) !== attempt) continue;
    state.inForce = inForceAt(cause.offset);
    if (!isWhole(attempt)) yield deadlineRecord('lifetime', unit, attempt, cause);
    else if (unit.size === null || !isKept(judge(attempt).ruling))
      yield deadlineRecord('verdict_missing', unit, attempt, cause);
  }
  if (state.units.get(unitKey) !== unit || unit.size === null) return;
  state.inForce = inForceAt(last.offset);
  yield deadlineRecord('group_incomplete', unit, null, last);
}

function deadlineRecord(name: DeadlineName, unit: Unit, attempt: Attempt | null, cause: Cause): Decoded {
  const saw = attempt === null ? '' : sawOf(attempt);
  const event: StepEvent = {
    ...NOBODY,
    ...(attempt?.identity ?? { run_id: unit.runId, epoch: unit.epoch }),
    control: {
      type: 'deadline',
      deadline: { name, unit: unit.key, unit_start: unit.start, saw, source: null },
      policy: null,
      weights: null,
      gate: null,
    },
  };
  return { unit: unit.key, event, cause };
}

/** It is never written. */
const NOBODY: StepEvent = {
  run_id: '',
  purpose: 'unknown',
  env_name: '',
  task_id: '',
  epoch: 0,
  group_id: null,
  group_size: null,
  rollout_id: '',
  attempt: 0,
  segment_id: '',
  seq: null,
  event_id: '',
  producer_id: '',
  kind: 'control',
  started_at: null,
  ended_at: null,
  duration_us: null,
  source: { format: '', version: '', location: null },
  extra_json: null,
  start: null,
  model_call: null,
  message: null,
  tool_result: null,
  phase: null,
  verdict: null,
  end: null,
  control: null,
};
