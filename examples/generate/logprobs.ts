import type { Random } from './random.ts';

/** Most sampled tokens are nearly certain, some are a choice, a few a surprise: share and mean of each. */
const SAMPLED = [
  { share: 0.7, mean: 0.008 },
  { share: 0.22, mean: 0.25 },
  { share: 0.08, mean: 1.4 },
] as const;

const PREFILL_MEAN = 2.6;

/** Log-probabilities as engines write them: float32 values, printed as the double that equals each. */
export function sampledLogprobs(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => {
    let pick = random();
    const bucket = SAMPLED.find(({ share }) => {
      pick -= share;
      return pick < 0;
    });
    return exponential(random, (bucket ?? SAMPLED[2]).mean);
  });
}

/** What an engine gives for prompt tokens that it only read; strands-env keeps these too. */
export function prefillLogprobs(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => exponential(random, PREFILL_MEAN));
}

function exponential(random: Random, mean: number): number {
  // Four steps of 2^-20 at least: an exact 0 would read as "no logprob" to a person. Rounded so that lines stay short.
  const value = Math.max(4, Math.round(-Math.log(1 - random()) * mean * 2 ** 20));
  return Math.fround(-value / 2 ** 20);
}
