import type { Random } from '../../examples/generate/random.ts';

/** A model call as an engine reports it. */
export interface SampledCall {
  readonly promptIds: readonly number[];
  readonly completionIds: readonly number[];
  readonly logprobs: readonly number[];
}

/** Ids of a vocabulary of 151,936, and doubles that no float32 holds: what comes out is their rounding. */
export function sampledCall(random: Random, longest: number): SampledCall {
  const ids = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 151_936));
  const completionIds = ids(1 + Math.floor(random() * longest));
  return {
    promptIds: ids(1 + Math.floor(random() * longest)),
    completionIds,
    logprobs: completionIds.map(() => -random() * 4),
  };
}

export function sampledCalls(random: Random, count: number, longest = 40): SampledCall[] {
  return Array.from({ length: count }, () => sampledCall(random, longest));
}
