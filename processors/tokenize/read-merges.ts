import type { KnownPipeline } from './known-pipeline.ts';

/** Pairs as `["a", "b"]` or as `"a b"`; null: one is neither, or is of what is not in the vocabulary. */
export function readMerges(
  merges: unknown,
  ids: ReadonlyMap<string, number>,
): Pick<KnownPipeline, 'mergeLeft' | 'mergeRight' | 'merged'> | null {
  if (!Array.isArray(merges)) return null;
  const mergeLeft = new Int32Array(merges.length);
  const mergeRight = new Int32Array(merges.length);
  const merged = new Int32Array(merges.length);
  for (const [rank, merge] of merges.entries()) {
    // The library takes a first line such as "#version: 0.2" for a comment.
    if (typeof merge === 'string' && merge.startsWith('#version')) return null;
    const pair: unknown = typeof merge === 'string' ? merge.split(' ') : merge;
    if (!Array.isArray(pair) || pair.length !== 2) return null;
    const left = ids.get(pair[0]);
    const right = ids.get(pair[1]);
    const both = ids.get(`${pair[0]}${pair[1]}`);
    if (left === undefined || right === undefined || both === undefined) return null;
    mergeLeft[rank] = left;
    mergeRight[rank] = right;
    merged[rank] = both;
  }
  return { mergeLeft, mergeRight, merged };
}
