import type { StepEvent } from '../../schemas/generated/step-event.ts';
import { type Attempt, attemptKey, type Cause, isStarted, type PastDecision, type Unit } from '../model/attempt.ts';
import { closeIfEmpty, type LaneState, removeAttempt } from '../model/lane-state.ts';
import { createAttempt, createUnit } from './state.ts';

/** Why a record is not folded. */
export type Refusal =
  | 'late'
  | 'stale_attempt'
  | 'already_decided'
  | 'group_closed'
  | 'group_size_conflict'
  | 'group_overfull'
  | 'task_conflict';

/**
 * UNITS SEEN BEFORE: whenever a unit opens, in a rebuild too, its decisions say what may still come.
 * No lookup: 1 U is ready; 2 its file is imported again: U is ready twice.
 * None on a rebuild: 1 A passes @10, its group of unknown size closes; 2 D opens it again @30; 3 restart, rebuild from @30;
 * 4 A's repeat @45 meets a unit that knows no A: A is ready twice.
 * A decision ahead of the record is no past: 1 a lane decides U @10, inserts, dies before its transaction; 2 the next one,
 * frontier 5, meets U's start @6, finds that row and calls the start late: U never leaves.
 */
export function openUnit(state: LaneState, key: string, event: StepEvent, cause: Cause): Unit | Refusal {
  const rows = [...(state.found.get(key) ?? []), ...(state.recent.get(key) ?? [])];
  const past = rows.filter((row) => row.offset < cause.offset);
  const recall = rows.filter((row) => row.offset >= cause.offset && row.offset < state.restored);
  const unit = createUnit(key, event, cause, past, recall);
  // A GROUP OF KNOWN SIZE OPENS ONCE. 1 C is retried; 2 a deadline closes the group, A and B pass; 3 C's attempt 1 comes: a
  // second group of that id, of one member, with a baseline of its own.
  if (past.length > 0 && unit.size !== null) return refusalOfDecided(unit, event) ?? 'group_closed';
  return refusalOfDecided(unit, event) ?? unit;
}

/** The open attempt a record belongs to, opened if it is its first; or why it is refused. */
export function attemptOf(state: LaneState, unit: Unit, event: StepEvent, cause: Cause): Attempt | Refusal {
  const refusal = refusalOfDecided(unit, event);
  if (refusal === 'late' || refusal === 'stale_attempt') return refusal;
  const started = highestStarted(unit, event.rollout_id);
  if (event.attempt < started) return 'stale_attempt';
  if (started < 0 && refusal !== null) return refusal;
  const conflict = event.kind === 'start' ? refusalOfMember(unit, event) : null;
  if (conflict !== null) return conflict;
  const key = attemptKey(event.rollout_id, event.attempt);
  const known = unit.attempts.get(key);
  if (known !== undefined) return known;
  const attempt = createAttempt(unit, event, cause);
  unit.attempts.set(key, attempt);
  state.openAttempts += 1;
  state.opened.push(attempt);
  return attempt;
}

function refusalOfDecided(unit: Unit, event: StepEvent): Refusal | null {
  const prior = unit.decided.get(event.rollout_id);
  if (prior === undefined || event.attempt > prior.attempt) {
    const opens = prior === undefined || prior.disposition === 'retry' || prior.disposition === 'superseded';
    return opens ? null : 'already_decided';
  }
  return event.attempt === prior.attempt ? 'late' : 'stale_attempt';
}

/**
 * A GROUP IS WHAT ITS FIRST START SAYS: a task, a size. Who says otherwise would move the baseline of the others.
 * A verdict before the first start may leave the size out: 1 verdict of A, no size; 2 A's start @7 says 4: four it is.
 */
function refusalOfMember(unit: Unit, { group_id, group_size, task_id, rollout_id }: StepEvent): Refusal | null {
  if (group_id === null) return null;
  // What was decided before anything started here was decided by an earlier opening.
  if (unit.taskId === null) return group_size !== null && unit.decided.size > 0 ? 'group_closed' : null;
  if (task_id !== unit.taskId) return 'task_conflict';
  if (group_size !== unit.size) return 'group_size_conflict';
  if (unit.size === null || unit.decided.has(rollout_id)) return null;
  const members = new Set(unit.decided.keys());
  for (const attempt of unit.attempts.values()) if (isStarted(attempt)) members.add(attempt.rolloutId);
  return members.size >= unit.size && !members.has(rollout_id) ? 'group_overfull' : null;
}

/** The first start fixes what the group is. A size that nobody had told before is a deadline that nobody watches yet. */
export function fixGroup(state: LaneState, attempt: Attempt, { task_id, group_size }: StepEvent): void {
  const { unit } = attempt;
  if (unit.taskId !== null) return;
  unit.taskId = task_id;
  if (unit.size === group_size) return;
  unit.size = group_size;
  state.opened.push(attempt);
}

function highestStarted(unit: Unit, rolloutId: string): number {
  let highest = -1;
  for (const attempt of unit.attempts.values())
    if (attempt.rolloutId === rolloutId && isStarted(attempt) && attempt.number > highest) highest = attempt.number;
  return highest;
}

/**
 * BELOW THE FRONTIER NOTHING IS DECIDED: what was, is recalled from `decisions`, up to and including `offset`.
 * 1 C faults @10 under P0: retry, sent; 2 policy P1 @12; 3 cut, frontier 15, restart with the values as of 15; 4 the rebuild
 * folds @10 under P1: drop; 5 C's attempt 1 @20 is refused as already decided: lost. A new build does the same.
 */
export function recallDecisions(state: LaneState, unit: Unit, offset: number): void {
  if (unit.recall.length === 0) return;
  const due: PastDecision[] = unit.recall.filter((row) => row.offset <= offset);
  if (due.length === 0) return;
  unit.recall = unit.recall.filter((row) => row.offset > offset);
  for (const row of due) {
    const attempt = unit.attempts.get(attemptKey(row.rolloutId, row.attempt));
    if (attempt !== undefined) removeAttempt(state, attempt);
    const known = unit.decided.get(row.rolloutId);
    if (known === undefined || known.attempt <= row.attempt)
      unit.decided.set(row.rolloutId, {
        attempt: row.attempt,
        disposition: row.disposition,
        category: row.category,
      });
  }
}

/** The frontier is reached: what was decided below it and not met again is recalled too. */
export function endRebuild(state: LaneState): void {
  for (const unit of [...state.units.values()]) {
    recallDecisions(state, unit, state.restored);
    closeIfEmpty(state, unit);
  }
}
