import { type Attempt, attemptKey, type Cause, type PastDecision, type Unit } from './attempt.ts';
import type { InForce } from './control.ts';
import { type Effects, emptyEffects } from './effects.ts';

/** All that a lane remembers of its partition between two records. */
export interface LaneState {
  readonly topic: string;
  readonly partition: number;
  /**
   * Frontier of the commit that this lane was restored from. Below it nothing is decided and no effect is produced again:
   * 1 A of a group passes @10, committed; 2 restart: the rebuild of B folds @10, which must not pass A a second time.
   */
  readonly restored: number;
  /** First offsets of the units that were open at `restored`. */
  readonly starts: ReadonlySet<number>;
  /** Open units by key. */
  readonly units: Map<string, Unit>;
  /** Holds: the number of open attempts over all units. */
  openAttempts: number;
  /** Attempts opened since the lane last took them up for their deadlines. */
  opened: Attempt[];
  /** Decisions that `decisions` holds of the units of this batch. */
  found: ReadonlyMap<string, readonly PastDecision[]>;
  /** Decisions of this lane that a query may not show yet: their flush may be in flight. */
  recent: Map<string, PastDecision[]>;
  inForce: InForce;
  /** Effects since the last cut. */
  effects: Effects;
}

export interface LaneStart {
  readonly topic: string;
  readonly partition: number;
  readonly restored: number;
  readonly starts: ReadonlySet<number>;
  readonly inForce: InForce;
}

export function createLaneState(start: LaneStart): LaneState {
  return {
    ...start,
    units: new Map(),
    openAttempts: 0,
    opened: [],
    found: new Map(),
    recent: new Map(),
    effects: emptyEffects(),
  };
}

/** What folding this record causes was already produced, by the cut that read it first. */
export function isRepeated(state: LaneState, offset: number): boolean {
  return offset < state.restored;
}

/** An attempt leaves its unit; a unit without attempts closes, unless it is a group that waits for members. */
export function removeAttempt(state: LaneState, attempt: Attempt): void {
  if (attempt.unit.attempts.delete(attemptKey(attempt.rolloutId, attempt.number))) state.openAttempts -= 1;
}

/** A unit without attempts closes. A group of known size stays while it waits for the members it has decided about. */
export function closeIfEmpty(state: LaneState, unit: Unit): void {
  if (unit.attempts.size === 0 && !(unit.size !== null && unit.decided.size > 0)) closeUnit(state, unit);
}

/**
 * What the unit knew of its rollouts is kept until the next batch asks `decisions`, which was not asked about a unit that was
 * open: 1 A of a group of unknown size passed long ago; 2 B closes the unit; 3 A's repeat, in the same batch, opens it again.
 */
export function closeUnit(state: LaneState, unit: Unit): void {
  state.units.delete(unit.key);
  const known = state.recent.get(unit.key) ?? [];
  const older = [...unit.decided].map(([rolloutId, { attempt, disposition, category }]) => ({
    rolloutId,
    attempt,
    disposition,
    category,
    offset: BEFORE_ALL,
  }));
  state.recent.set(unit.key, [...older, ...known]);
}

/** No offset is negative: a decision of any earlier record. */
const BEFORE_ALL = -1;

/** Nobody ever started it: its events are faults, it counts as nothing. */
export function giveUpOrphan(state: LaneState, attempt: Attempt, cause: Cause): void {
  removeAttempt(state, attempt);
  if (isRepeated(state, cause.offset)) return;
  for (const held of [...(attempt.waiting?.values() ?? []), ...attempt.early]) {
    state.effects.rows.step_faults.push({
      reason: 'orphan',
      detail: 'no start event came',
      event: held.event,
      unit: attempt.unit.key,
      partition: state.partition,
      offset: held.cause.offset,
      appendedAtMs: held.cause.appendedAtMs,
      cause: cause.offset,
    });
  }
}
