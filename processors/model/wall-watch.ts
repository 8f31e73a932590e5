import type { WallBreakdown } from './wall-breakdown.ts';

/** Intervals of what an attempt spent its time on, as its events gave them. */
export interface WallWatch {
  /** Flat, three numbers an interval: place in `WALL_PARTS`, begin and end in µs. Holds: at most `MOST_SPANS` intervals; no end before its begin. */
  readonly spans: number[];
  /** Calls, tool results and phases without an interval: how many, and how many of them give a duration. */
  untimed: number;
  untimedDurations: number;
  /** Intervals that found no place. */
  unkept: number;
  /** Durations without an interval of what came after the end, µs by part: the rollout's own parts do not depend on them. null: none. */
  laterUs: Partial<Record<WallPart, number>> | null;
  /** Segment of the first of them, and whether another ran beside it: agents in parallel may sample and wait at once. */
  readonly segmentId: string;
  isParallel: boolean;
  /** Intervals that end before they begin, and what the first of them is. */
  skews: number;
  firstSkew: string | null;
  /** What they come to, and of how many spans and which end that was. null: not asked. */
  breakdown: { readonly spans: number; readonly endedAtUs: number | null; readonly value: WallBreakdown | null } | null;
}

/** 24 bytes each. */
export const MOST_SPANS = 4096;

/**
 * What a microsecond of a rollout can go to. Of two at once the first here has it: what waits for the policy is the policy's,
 * what runs beside a tool is the tool's; the loop's own work is what nothing else explains.
 */
export const WALL_PARTS = [
  'model',
  'tool_wait',
  'sandbox_setup',
  'agent_setup',
  'rate_limit',
  'weight_sync',
  'queue',
  'engine_retry',
  'cpu',
  'verify',
  'cleanup',
  'trainer_wait',
  'other',
] as const;

export type WallPart = (typeof WALL_PARTS)[number];
