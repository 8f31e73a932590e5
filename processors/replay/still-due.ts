import { attemptKey, isStarted, sawOf } from '../model/attempt.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Decoded } from '../model/record.ts';
import type { ComparedDecision } from '../model/replay.ts';

/**
 * A DEADLINE NAMES THE RECORD THAT OPENED ITS UNIT, and under another policy that may be another record. 1 A of a group of unknown
 * size is decided @10, and the unit closes; 2 B opens it again @14, and falls silent: idle @40 names 14; 3 under a policy that
 * waits for A's verdict the unit is open since 2, and idle, void, would leave B open.
 * Where it is sure that the same attempt is meant, the deadline names the unit as it is. A started attempt is: decided once, it is
 * never opened again. An orphan may be, so that only an opening that this replay does not have says that it is the same.
 * ONE THAT DECIDED WAS NOT VOID, whatever it saw: 1 a phase @9, the second event; 2 idle @20 saw 2, and closes the attempt; 3 the
 * phase is sent again @30, and its row takes the place of the first: a replay sees one event less.
 */
export function stillDue(
  state: LaneState,
  record: Decoded,
  decided: ReadonlyMap<string, Pick<ComparedDecision, 'offset'>>,
): Decoded {
  const { event, cause } = record;
  const deadline = event.control?.deadline ?? null;
  const unit = state.units.get(record.unit);
  if (event.control === null || deadline === null || unit === undefined) return record;
  const key = attemptKey(event.rollout_id, event.attempt);
  const attempt = unit.attempts.get(key);
  if (attempt === undefined) return record;
  const isOrphans = deadline.name === 'orphan';
  if (deadline.unit_start === null || isStarted(attempt) === isOrphans) return record;
  if (isOrphans && (unit.start > deadline.unit_start || attempt.firstOffset < deadline.unit_start)) return record;
  const saw = decided.get(key)?.offset === cause.offset ? sawOf(attempt) : deadline.saw;
  if (deadline.unit_start === unit.start && deadline.saw === saw) return record;
  const control = { ...event.control, deadline: { ...deadline, unit_start: unit.start, saw } };
  return { ...record, event: { ...event, control } };
}
