import type { ReadyEntry, Shards } from '../model/delivery.ts';
import { Heap } from './heap.ts';

type Sized = Pick<ReadyEntry, 'offset' | 'tokens'>;

interface Bin {
  readonly place: number;
  load: number;
  readonly offsets: number[];
}

/**
 * A batch for `ranks` ranks: each has the same number of micro-batches, none is empty, balanced by tokens. As few micro-batches as
 * hold to `microTokens` (null: one a rank), but for an entry that is larger alone. At least as many entries as ranks. Kept in
 * the grant, since another version of the program may split otherwise.
 * EQUAL COUNTS. 1 Each rank leases for itself, first come, first served; 2 rank 0 gets three micro-batches, rank 1 two; 3 rank 0
 * waits in the third's collective for ever.
 */
export function shards(entries: readonly Sized[], ranks: number, microTokens: number | null): Shards {
  const total = entries.reduce((sum, { tokens }) => sum + tokens, 0);
  const largestFirst = [...entries].sort((a, b) => b.tokens - a.tokens || a.offset - b.offset);
  const most = Math.max(1, Math.floor(entries.length / ranks));
  // Fewer than their tokens ask for cannot do.
  let count = microTokens === null ? 1 : Math.min(most, Math.max(1, Math.ceil(total / microTokens / ranks)));
  let bins = fill(largestFirst, count * ranks);
  while (microTokens !== null && count < most && bins.some((bin) => bin.offsets.length > 1 && bin.load > microTokens)) {
    count = Math.min(most, count + Math.max(1, count >> 4));
    bins = fill(largestFirst, count * ranks);
  }
  return dealt(bins, ranks);
}

/** The largest first, each into the bin that has least. */
function fill(largestFirst: readonly Sized[], count: number): Bin[] {
  const bins = Array.from({ length: count }, (_, place): Bin => ({ place, load: 0, offsets: [] }));
  // By number where loads are equal: entries without tokens would all go into one.
  const least = new Heap<Bin>(
    (a, b) => (a.load - b.load || a.offsets.length - b.offsets.length || a.place - b.place) < 0,
  );
  for (const bin of bins) least.push(bin);
  for (const { offset, tokens } of largestFirst) {
    const bin = least.pop();
    if (bin === undefined) break;
    bin.load += tokens;
    bin.offsets.push(offset);
    least.push(bin);
  }
  return bins;
}

/** There and back again over the ranks: the sums of two differ by the largest bin at most. */
function dealt(bins: readonly Bin[], ranks: number): Shards {
  const hands: number[][][] = Array.from({ length: ranks }, () => []);
  const heaviestFirst = [...bins].sort((a, b) => b.load - a.load || a.place - b.place);
  for (const [i, { offsets }] of heaviestFirst.entries()) {
    const place = i % ranks;
    const isWayBack = Math.floor(i / ranks) % 2 === 1;
    hands[isWayBack ? ranks - 1 - place : place]?.push(offsets);
  }
  return hands;
}
