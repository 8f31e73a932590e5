import type { Deadline, StepEvent } from '../../schemas/generated/step-event.ts';
import { type Attempt, attemptKey, type Cause, isStarted, isWhole, sawOf } from '../model/attempt.ts';
import type { Candidate } from '../model/closing.ts';
import { closeIfEmpty, giveUpOrphan, isRepeated, type LaneState } from '../model/lane-state.ts';
import { nextInForce } from '../model/next-in-force.ts';
import { acceptRow } from './event-rows.ts';

/**
 * Folds what the pipeline itself wrote: it acts from its offset on. Below the restored frontier it still gives orphans up:
 * 1 seq 1 of X @5, its unit stays open; 2 X is given up @8; 3 cut at 10, restart; 4 X's start @12 must not find seq 1 waiting.
 */
export function foldControl(
  state: LaneState,
  key: string,
  event: StepEvent,
  cause: Cause,
  candidates: Candidate[],
): void {
  const control = event.control;
  if (control === null) return;
  acceptRow(state, key, event, cause, cause.offset);
  // The commit told the values as of the frontier.
  if (!isRepeated(state, cause.offset)) state.inForce = nextInForce(state.inForce, event.run_id, control);
  if (control.deadline === null) return;
  const closing: Candidate[] = [];
  if (control.deadline.name === 'source_ended') foldSourceEnded(state, control.deadline, cause, closing);
  else foldDeadline(state, key, event, control.deadline, cause, closing);
  if (!isRepeated(state, cause.offset)) candidates.push(...closing);
  else for (const candidate of closing) rememberExpiry(candidate);
}

/**
 * Of what was decided below the frontier the rebuild is told; of a member that only waits for its group since, it is not:
 * 1 A of a group has no verdict in time @8, and trains without; 2 cut at 10, restart; 3 A would await its verdict again.
 */
function rememberExpiry(candidate: Candidate): void {
  if (candidate.kind === 'expired') candidate.attempt.expiredBy = candidate.deadline;
}

/**
 * A DEADLINE NAMES WHAT IT SAW, and is void if that no longer holds.
 * 1 a slow lane writes group_incomplete for a unit opened @5; 2 its member is retried, the unit closes; 3 attempt 1 opens it
 * @20; 4 the deadline arrives @21, and would close it.
 */
function foldDeadline(
  state: LaneState,
  key: string,
  event: StepEvent,
  deadline: Deadline,
  cause: Cause,
  candidates: Candidate[],
): void {
  const unit = state.units.get(key);
  if (unit === undefined) return;
  if (deadline.name === 'group_incomplete') {
    if (deadline.unit_start === unit.start)
      candidates.push({ kind: 'unit_expired', unit, cause, deadline: deadline.name });
    return;
  }
  const attempt = unit.attempts.get(attemptKey(event.rollout_id, event.attempt));
  if (attempt === undefined || deadline.unit_start !== unit.start) return;
  if (deadline.name !== 'lifetime' && deadline.saw !== sawOf(attempt)) return;
  if (!isStarted(attempt)) {
    if (deadline.name !== 'orphan' && deadline.name !== 'lifetime') return;
    giveUpOrphan(state, attempt, cause);
    closeIfEmpty(state, unit);
  } else if (appliesTo(deadline.name, attempt))
    candidates.push({ kind: 'expired', attempt, cause, deadline: deadline.name });
}

/** A whole attempt waits for its verdict or for its group: silence is no fault of it. */
function appliesTo(name: Deadline['name'], attempt: Attempt): boolean {
  return isWhole(attempt) ? name === 'verdict_missing' : name === 'gap' || name === 'idle' || name === 'lifetime';
}

/** A producer has ended: what it left open closes. An attempt without its end is `worker_lost`, one without its verdict `reward_missing`. */
function foldSourceEnded(state: LaneState, deadline: Deadline, cause: Cause, candidates: Candidate[]): void {
  for (const unit of [...state.units.values()]) {
    const mine = [...unit.attempts.values()].filter((attempt) => attempt.owner === deadline.source);
    // Its members wait for others: the group can only become complete if another producer has some of it open.
    if (unit.size !== null && unit.lastProducer === deadline.source && mine.length === unit.attempts.size) {
      candidates.push({ kind: 'unit_expired', unit, cause, deadline: deadline.name });
      continue;
    }
    for (const attempt of mine) {
      if (isStarted(attempt)) candidates.push({ kind: 'expired', attempt, cause, deadline: deadline.name });
      else giveUpOrphan(state, attempt, cause);
    }
    closeIfEmpty(state, unit);
  }
}
