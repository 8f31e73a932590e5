import type { StepEvent } from '../../schemas/generated/step-event.ts';
import type { Cause } from '../model/attempt.ts';
import { isRepeated, type LaneState } from '../model/lane-state.ts';

/** An accepted event, into `steps`. `accepted`: the record that made it count, for an orphan its start. */
export function acceptRow(
  state: LaneState,
  unit: string,
  event: StepEvent,
  { offset, appendedAtMs }: Cause,
  accepted: number,
): void {
  if (isRepeated(state, accepted)) return;
  state.effects.rows.steps.push({ event, unit, partition: state.partition, offset, appendedAtMs, cause: accepted });
}

/** A readable event that was not folded, into `step_faults`. Returns false: it was not accepted. */
export function faultRow(
  state: LaneState,
  unit: string,
  event: StepEvent,
  { offset, appendedAtMs }: Cause,
  reason: string,
  detail: string,
): false {
  if (!isRepeated(state, offset))
    state.effects.rows.step_faults.push({
      reason,
      detail,
      event,
      unit,
      partition: state.partition,
      offset,
      appendedAtMs,
      cause: offset,
    });
  return false;
}

/**
 * A verdict, into `verdicts`. Late is part of its key: 1 verdict v @7 counts; 2 its repeat @20 comes after the close: with v
 * alone as key the higher version wins, and the verdict that counted reads `late`.
 */
export function verdictRow(
  state: LaneState,
  unit: string,
  event: StepEvent,
  { offset, appendedAtMs }: Cause,
  late: boolean,
  accepted: number,
): void {
  if (isRepeated(state, accepted)) return;
  state.effects.rows.verdicts.push({
    event,
    unit,
    late,
    partition: state.partition,
    offset,
    appendedAtMs,
    cause: accepted,
  });
}
