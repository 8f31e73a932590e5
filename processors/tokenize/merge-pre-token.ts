import { mergeLong } from './merge-long.ts';
import type { Merges } from './merges.ts';

/** Merges the first `length` of `symbols` in place and answers how many are left. */
export type MergePreToken = (symbols: Int32Array, length: number) => number;

/** Above it a heap is faster than looking at every pair again. */
const SHORT = 40;

/** Byte-pair encoding of one pre-token: the pair of the lowest rank is merged first, of equal ones the leftmost. */
export function createMergePreToken(merges: Merges): MergePreToken {
  const ranks = new Int32Array(SHORT);
  return function mergePreToken(symbols, length) {
    return length > SHORT ? mergeLong(merges, symbols, length) : mergeShort(merges, ranks, symbols, length);
  };
}

function mergeShort({ rankOf, becomes }: Merges, ranks: Int32Array, symbols: Int32Array, length: number): number {
  let left = length;
  for (let at = 0; at + 1 < left; at++) ranks[at] = rankOf(symbols[at] ?? 0, symbols[at + 1] ?? 0);
  for (;;) {
    let best = -1;
    let lowest = 0x7fffffff;
    for (let at = 0; at + 1 < left; at++) {
      const rank = ranks[at] ?? -1;
      if (rank === -1 || rank >= lowest) continue;
      lowest = rank;
      best = at;
    }
    if (best === -1) return left;
    symbols[best] = becomes(lowest);
    left -= 1;
    for (let at = best + 1; at < left; at++) {
      symbols[at] = symbols[at + 1] ?? 0;
      ranks[at] = ranks[at + 1] ?? -1;
    }
    if (best > 0) ranks[best - 1] = rankOf(symbols[best - 1] ?? 0, symbols[best] ?? 0);
    if (best + 1 < left) ranks[best] = rankOf(symbols[best] ?? 0, symbols[best + 1] ?? 0);
  }
}
