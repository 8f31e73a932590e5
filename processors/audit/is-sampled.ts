/** FNV-1a, 32 bits. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** By a hash of the rollout id, so that a replay picks the same ones. `share` is 0 to 1. */
export function isSampled(rolloutId: string, share: number): boolean {
  let hash = OFFSET;
  for (let i = 0; i < rolloutId.length; i++) hash = Math.imul(hash ^ rolloutId.charCodeAt(i), PRIME);
  // Its low bits mix better than its high ones: ids that differ in their last character must not stay neighbours.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash ^= hash >>> 13;
  return (hash >>> 0) / 2 ** 32 < share;
}
