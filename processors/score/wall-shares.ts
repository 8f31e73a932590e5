import type { Attempt } from '../model/attempt.ts';

export interface WallShares {
  /** Of the engine's queue, sandboxes, rate limits and weight syncs; 0 to 1. null: the events do not say. */
  readonly infraShare: number | null;
  /** Of the policy's own tokens. */
  readonly policyShare: number | null;
}

/** Below this share of the wall clock that events explain, nobody can say whose the rest was. */
const EXPLAINED = 0.9;

const UNKNOWN: WallShares = { infraShare: null, policyShare: null };

/** Whose the wall clock from start to end was. Calls in parallel may add up to more than it: then shares are of their sum. */
export function wallSharesOf({ facts, startedAtUs, endedAtUs, calls }: Attempt): WallShares {
  if (facts === null || startedAtUs === null || endedAtUs === null || endedAtUs <= startedAtUs) return UNKNOWN;
  const { policy, engine, tool, sandbox, rateLimit, weightSync, loop } = facts.wall;
  const infra = engine + sandbox + rateLimit + weightSync;
  const explained = infra + policy + tool + loop;
  const whole = Math.max(endedAtUs - startedAtUs, explained);
  if (explained < EXPLAINED * whole) return UNKNOWN;
  // A policy that sampled took some time: where no call says how long, it is not 0.
  return { infraShare: infra / whole, policyShare: policy > 0 || calls === 0 ? policy / whole : null };
}
