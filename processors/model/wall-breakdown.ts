import { WALL_PARTS, type WallPart } from './wall-watch.ts';

/** The wall clock of a rollout, each microsecond in one part. */
export interface WallBreakdown {
  /** From start to end. Holds: the sum of `partsUs`. */
  readonly totalUs: number;
  /** By place in `WALL_PARTS`. */
  readonly partsUs: readonly number[];
  /** By place: after the end, which is the lifetime's, not the rollout's. */
  readonly afterUs: readonly number[];
  /** Two parts that cannot run at once, and for how long they did. */
  readonly overlaps: readonly WallOverlap[];
}

export interface WallOverlap {
  readonly first: WallPart;
  readonly second: WallPart;
  readonly us: number;
}

interface Edge {
  readonly at: number;
  readonly part: number;
  readonly by: 1 | -1;
}

const PARTS = WALL_PARTS.length;
const OTHER = WALL_PARTS.indexOf('other');
const MODEL = WALL_PARTS.indexOf('model');
/** What one agent does not do while its engine samples. In a queue of the engine it may be: that is part of its call. */
const NOT_BESIDE_MODEL = placesOf(
  'tool_wait',
  'sandbox_setup',
  'agent_setup',
  'rate_limit',
  'weight_sync',
  'engine_retry',
);
/** Work that follows the end. Within the rollout it is no part of its own. */
const LATER = placesOf('verify', 'cleanup', 'trainer_wait');

/** Union of intervals by sweep. `spans` as `WallWatch` has them. What none of them covers is `other`. */
export function breakDownWall(spans: readonly number[], startUs: number, endUs: number): WallBreakdown {
  const partsUs = new Array<number>(PARTS).fill(0);
  const afterUs = new Array<number>(PARTS).fill(0);
  const overlapsUs = new Map<number, number>();
  const active = new Array<number>(PARTS).fill(0);
  let from = startUs;
  for (const { at, part, by } of edgesOf(spans, startUs)) {
    if (at > from) {
      // Both sides of the end are told apart, if an interval goes beyond it.
      const within = Math.min(at, endUs) - from;
      if (within > 0) attribute(active, within, partsUs, overlapsUs);
      const beyond = at - Math.max(from, endUs);
      if (beyond > 0) attributeLater(active, beyond, afterUs);
      from = at;
    }
    active[part] = (active[part] ?? 0) + by;
  }
  if (endUs > from) partsUs[OTHER] = (partsUs[OTHER] ?? 0) + endUs - from;
  return { totalUs: endUs - startUs, partsUs, afterUs, overlaps: [...overlapsUs].map(overlapOf) };
}

/** Begins and ends in order of time, without what lies before the start. */
function edgesOf(spans: readonly number[], startUs: number): readonly Edge[] {
  const edges: Edge[] = [];
  for (let i = 0; i + 2 < spans.length; i += 3) {
    const [part = OTHER, begin = 0, end = 0] = [spans[i], spans[i + 1], spans[i + 2]];
    if (end <= startUs || end <= begin) continue;
    edges.push({ at: Math.max(begin, startUs), part, by: 1 }, { at: end, part, by: -1 });
  }
  return edges.sort((a, b) => a.at - b.at);
}

function attribute(active: readonly number[], us: number, partsUs: number[], overlapsUs: Map<number, number>): void {
  let owner = -1;
  for (let part = 0; part < PARTS; part++) {
    if (active[part] === 0) continue;
    if (owner < 0) owner = LATER.has(part) ? OTHER : part;
    else if (owner === MODEL && NOT_BESIDE_MODEL.has(part)) {
      const pair = owner * PARTS + part;
      overlapsUs.set(pair, (overlapsUs.get(pair) ?? 0) + us);
    }
  }
  if (owner < 0) owner = OTHER;
  partsUs[owner] = (partsUs[owner] ?? 0) + us;
}

function attributeLater(active: readonly number[], us: number, afterUs: number[]): void {
  for (const part of LATER)
    if ((active[part] ?? 0) > 0) {
      afterUs[part] = (afterUs[part] ?? 0) + us;
      return;
    }
}

function placesOf(...parts: readonly WallPart[]): ReadonlySet<number> {
  return new Set(parts.map((part) => WALL_PARTS.indexOf(part)));
}

function overlapOf([pair, us]: readonly [number, number]): WallOverlap {
  const part = (place: number): WallPart => WALL_PARTS[place] ?? 'other';
  return { first: part(Math.floor(pair / PARTS)), second: part(pair % PARTS), us };
}
