/** Merges of a byte-pair encoding: which pairs of tokens become one, the lower the rank the earlier. */
export interface Merges {
  /** Rank of a pair; -1: it is not merged. */
  readonly rankOf: (left: number, right: number) => number;
  /** Token that the pair of this rank becomes. */
  readonly becomes: (rank: number) => number;
}

/** `left`, `right` and `merged` by rank; of two ranks of one pair the later stands. A hash table over numbers: a Map is 5 times slower. */
export function createMerges(left: Int32Array, right: Int32Array, merged: Int32Array): Merges {
  let slots = 1024;
  while (slots < left.length * 2) slots *= 2;
  const mask = slots - 1;
  const ranks = new Int32Array(slots).fill(-1);
  const slotOf = (one: number, other: number): number => {
    let slot = (Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    for (;;) {
      const rank = ranks[slot] ?? -1;
      if (rank === -1 || (left[rank] === one && right[rank] === other)) return slot;
      slot = (slot + 1) & mask;
    }
  };
  for (let rank = 0; rank < left.length; rank++) ranks[slotOf(left[rank] ?? 0, right[rank] ?? 0)] = rank;
  return {
    rankOf: (one, other) => ranks[slotOf(one, other)] ?? -1,
    becomes: (rank) => merged[rank] ?? 0,
  };
}
