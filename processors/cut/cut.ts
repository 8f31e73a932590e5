import { isStarted } from '../model/attempt.ts';
import { type Effects, emptyEffects } from '../model/effects.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Progress } from './progress.ts';

/** An attempt that has started and is not decided. */
export interface OpenAttempt {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
}

/** What one flush writes: effects and progress, frozen together. */
export interface Cut {
  readonly effects: Effects;
  readonly progress: Progress;
  /** As of the frontier, from the lane's own memory: one side of the accounting identity. */
  readonly open: readonly OpenAttempt[];
}

/**
 * Freezes all that was folded below `position`. Starts are those of the cut, never of later: 1 cut at 10, U open since 4;
 * 2 while it flushes, U closes @12; 3 committed without 4; 4 death before the next flush: the restart skips U's records below 10.
 */
export function takeCut(state: LaneState, term: number, position: number): Cut {
  const effects = takeEffects(state);
  const { starts, watermark } = startsOf(state, position);
  return {
    effects,
    progress: { term, frontier: position, watermark, starts, inForce: state.inForce },
    open: openAttemptsOf(state),
  };
}

/** What was folded since this was last asked: each effect is in one answer. */
export function takeEffects(state: LaneState): Effects {
  const { effects } = state;
  state.effects = emptyEffects();
  return effects;
}

function startsOf(state: LaneState, position: number): { starts: Set<number>; watermark: number } {
  const starts = new Set<number>();
  let watermark = position;
  for (const unit of state.units.values()) {
    starts.add(unit.start);
    if (unit.start < watermark) watermark = unit.start;
  }
  return { starts, watermark };
}

export function openAttemptsOf(state: LaneState): OpenAttempt[] {
  const open: OpenAttempt[] = [];
  for (const unit of state.units.values())
    for (const attempt of unit.attempts.values()) {
      if (!isStarted(attempt)) continue;
      const { run_id, epoch, rollout_id, attempt: number } = attempt.identity;
      open.push({ run_id, epoch, unit: unit.key, rollout_id, attempt: number });
    }
  return open;
}

/** What must hold of a cut taken at `position`; the first relation that does not, in words, or null. */
export function checkProgress(state: LaneState, position: number): string | null {
  const { starts, watermark } = startsOf(state, position);
  if (starts.size !== state.units.size) return 'two units were opened by one record';
  if (watermark > position) return `watermark ${watermark} above the frontier ${position}`;
  for (const unit of state.units.values()) {
    if (unit.start >= position) return `${unit.key}: opened @${unit.start}, above the frontier ${position}`;
    for (const attempt of unit.attempts.values())
      if (attempt.firstOffset < unit.start) return `${unit.key}: an attempt is older than its unit`;
  }
  return null;
}
