import type { Attempt } from './attempt.ts';
import { breakDownWall, type WallBreakdown } from './wall-breakdown.ts';
import { WALL_PARTS, type WallPart } from './wall-watch.ts';

const NONE: Partial<Record<WallPart, number>> = {};

/** The wall clock of an attempt in parts; null: its events do not give a time each, or it has not ended. */
export function wallOf({ watch, startedAtUs, endedAtUs }: Attempt): WallBreakdown | null {
  const wall = watch?.wall ?? null;
  if (wall === null || wall.untimed > 0 || wall.unkept > 0) return null;
  if (startedAtUs === null || endedAtUs === null || endedAtUs < startedAtUs) return null;
  const { spans, breakdown } = wall;
  if (breakdown !== null && breakdown.spans === spans.length && breakdown.endedAtUs === endedAtUs)
    return breakdown.value;
  const value = breakDownWall(spans, startedAtUs, endedAtUs);
  wall.breakdown = { spans: spans.length, endedAtUs, value };
  return value;
}

/**
 * Milliseconds by part, as a trajectory has them: `total` is the sum of all but `verify`, `cleanup` and `trainer_wait`, which
 * follow the end. A part without time is absent. null: see `wallOf`.
 */
export function wallPartsOf(attempt: Attempt): Record<string, number> | null {
  const wall = wallOf(attempt);
  if (wall === null) return null;
  const later = attempt.watch?.wall?.laterUs ?? NONE;
  const parts: Record<string, number> = { total: wall.totalUs / 1000 };
  for (const [place, name] of WALL_PARTS.entries()) {
    const us = (wall.partsUs[place] ?? 0) + (wall.afterUs[place] ?? 0) + (later[name] ?? 0);
    if (us > 0) parts[name] = us / 1000;
  }
  return parts;
}
