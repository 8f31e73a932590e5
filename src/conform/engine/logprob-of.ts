/** A logprob as an engine computes it, a float32, which JSON writes as the float64 that it is exactly. Never 0, never positive. */
export function logprobOf(seed: number, id: number, at: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(id + 1, 0xc2b2ae35) ^ Math.imul(at + 1, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 13;
  // Squared, so that most are near 0, as of a policy that is sure.
  const share = ((hash >>> 0) + 1) / 2 ** 32;
  return Math.fround(-8 * share * share - 1e-6);
}
