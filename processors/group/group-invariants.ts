import { isStarted } from '../model/attempt.ts';
import type { LaneState } from '../model/lane-state.ts';

/** What must hold of the units of a lane between two records; the first relation that does not, in words, or null. */
export function checkGroups(state: LaneState): string | null {
  for (const [key, unit] of state.units) {
    // An empty unit would hold the watermark for ever.
    if (unit.attempts.size === 0 && (unit.size === null || unit.decided.size === 0)) return `${key}: open, but empty`;
    const started = new Set<string>();
    for (const attempt of unit.attempts.values()) {
      if (attempt.unit !== unit) return `${key}: ${attempt.rolloutId} belongs to another unit`;
      const decided = unit.decided.get(attempt.rolloutId);
      if (decided !== undefined && decided.attempt >= attempt.number)
        return `${key}: ${attempt.rolloutId}/${attempt.number} is open, attempt ${decided.attempt} was decided`;
      if (!isStarted(attempt)) continue;
      if (started.has(attempt.rolloutId)) return `${key}: two attempts of ${attempt.rolloutId} have started`;
      started.add(attempt.rolloutId);
    }
  }
  return null;
}
