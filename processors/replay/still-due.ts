import { attemptKey, isStarted } from '../model/attempt.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Decoded } from '../model/record.ts';

/**
 * A DEADLINE NAMES THE RECORD THAT OPENED ITS UNIT, and under another policy that may be another record. 1 A of a group of unknown
 * size is decided @10, and the unit closes; 2 B opens it again @14, and falls silent: idle @40 names 14; 3 under a policy that
 * waits for A's verdict the unit is open since 2, and idle, void, would leave B open.
 * Where it is sure that the same attempt is meant, the deadline names the unit as it is. A started attempt is: decided once, it is
 * never opened again. An orphan may be, so that only an opening that this replay does not have says that it is the same.
 */
export function stillDue(state: LaneState, record: Decoded): Decoded {
  const { event, unit: key } = record;
  const deadline = event.control?.deadline ?? null;
  const unit = state.units.get(key);
  if (event.control === null || deadline === null || unit === undefined) return record;
  if (deadline.unit_start === null || deadline.unit_start === unit.start) return record;
  const attempt = unit.attempts.get(attemptKey(event.rollout_id, event.attempt));
  if (attempt === undefined) return record;
  const isOrphans = deadline.name === 'orphan';
  if (isStarted(attempt) === isOrphans) return record;
  if (isOrphans && (unit.start > deadline.unit_start || attempt.firstOffset < deadline.unit_start)) return record;
  const control = { ...event.control, deadline: { ...deadline, unit_start: unit.start } };
  return { ...record, event: { ...event, control } };
}
