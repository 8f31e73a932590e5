import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeLong } from '../../../processors/tokenize/merge-long.ts';
import { createMerges } from '../../../processors/tokenize/merges.ts';

/** By definition: the pair of the lowest rank, of equal ones the leftmost, until there is none. */
function mergeByDefinition(merges: ReturnType<typeof createMerges>, symbols: readonly number[]): number[] {
  const left = [...symbols];
  for (;;) {
    let best = -1;
    for (let at = 0; at + 1 < left.length; at++) {
      const rank = merges.rankOf(left[at] ?? 0, left[at + 1] ?? 0);
      if (rank !== -1 && (best === -1 || rank < merges.rankOf(left[best] ?? 0, left[best + 1] ?? 0))) best = at;
    }
    if (best === -1) return left;
    left.splice(best, 2, merges.becomes(merges.rankOf(left[best] ?? 0, left[best + 1] ?? 0)));
  }
}

/** Merges over two letters: tokens are the words that they spell, each new one made of two that there were. */
const tables = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 }).map((picks) => {
  const words = ['a', 'b'];
  const pairs: Array<[number, number, number]> = [];
  for (const [one, other] of picks) {
    const [left, right] = [one % words.length, other % words.length];
    const word = `${words[left]}${words[right]}`;
    if (!words.includes(word)) words.push(word);
    if (!pairs.some(([l, r]) => l === left && r === right)) pairs.push([left, right, words.indexOf(word)]);
  }
  const column = (at: 0 | 1 | 2) => Int32Array.from(pairs, (pair) => pair[at]);
  return createMerges(column(0), column(1), column(2));
});

it('merges as the definition does, in any order of ranks', () => {
  fc.assert(
    fc.property(tables, fc.array(fc.constantFrom(0, 1), { maxLength: 60 }), (merges, symbols) => {
      const merged = Int32Array.from(symbols);
      const length = mergeLong(merges, merged, symbols.length);
      expect([...merged.subarray(0, length)]).toEqual(mergeByDefinition(merges, symbols));
    }),
    { numRuns: 2000, seed: 3 },
  );
});
