import type { Merges } from './merges.ts';

/** A key orders by rank, then by place. */
const RANK_UNIT = 2 ** 32;

/** As merging by looking at all pairs, in n · log n: a linked list, and a heap of pairs of which some are out of date. */
export function mergeLong({ rankOf, becomes }: Merges, symbols: Int32Array, length: number): number {
  const next = new Int32Array(length);
  const previous = new Int32Array(length);
  // A merge takes one pair out and puts at most two in.
  const heap = new Float64Array(2 * length);
  let size = 0;
  for (let at = 0; at < length; at++) {
    next[at] = at + 1 < length ? at + 1 : -1;
    previous[at] = at - 1;
    const rank = at + 1 < length ? rankOf(symbols[at] ?? 0, symbols[at + 1] ?? 0) : -1;
    if (rank !== -1) heap[size++] = rank * RANK_UNIT + at;
  }
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(heap, size, at);
  const push = (at: number, other: number) => {
    const rank = rankOf(symbols[at] ?? 0, symbols[other] ?? 0);
    if (rank !== -1) rise(heap, size++, rank * RANK_UNIT + at);
  };
  while (size > 0) {
    const key = heap[0] ?? 0;
    size -= 1;
    heap[0] = heap[size] ?? 0;
    sink(heap, size, 0);
    const rank = Math.floor(key / RANK_UNIT);
    const at = key - rank * RANK_UNIT;
    const other = next[at] ?? -1;
    // Out of date: what it was of has been merged, and its rank with it.
    if (symbols[at] === -1 || other === -1 || rankOf(symbols[at] ?? 0, symbols[other] ?? 0) !== rank) continue;
    symbols[at] = becomes(rank);
    symbols[other] = -1;
    const after = next[other] ?? -1;
    next[at] = after;
    if (after !== -1) {
      previous[after] = at;
      push(at, after);
    }
    const before = previous[at] ?? -1;
    if (before !== -1) push(before, at);
  }
  let left = 0;
  for (let at = 0; at !== -1; at = next[at] ?? -1) symbols[left++] = symbols[at] ?? 0;
  return left;
}

function sink(heap: Float64Array, size: number, from: number): void {
  const key = heap[from] ?? 0;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
    const least = heap[child] ?? 0;
    if (least >= key) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = key;
}

function rise(heap: Float64Array, from: number, key: number): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= key) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = key;
}
