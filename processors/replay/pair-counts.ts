import { compareText } from '../model/compare-text.ts';
import { CELL_EXAMPLES } from './diff-limits.ts';
import type { DiffCell } from './diff-tally.ts';
import { createFirstFew, type FirstFew } from './first-few.ts';

/** Counts from what to what. */
export interface PairCounts<T> {
  /** `rolloutId` becomes an example where the two differ. */
  add(from: T, to: T, rolloutId: string): void;
  /** The most frequent first. */
  cells(): DiffCell[];
  /** How many had no pair of their own, since as many as may be were there. */
  other(): number;
}

interface Cell<T> {
  readonly from: T;
  readonly to: T;
  n: number;
  /** Made by the first that differs. */
  examples: FirstFew<string> | null;
}

export function createPairCounts<T extends string | number | null>(mostPairs: number): PairCounts<T> {
  const byFrom = new Map<T, Map<T, Cell<T>>>();
  let pairs = 0;
  let other = 0;
  /** Most are as the one before. */
  let last: Cell<T> | null = null;

  function cellOf(from: T, to: T): Cell<T> | null {
    const row = byFrom.get(from);
    const found = row?.get(to);
    if (found !== undefined) return found;
    if (pairs === mostPairs) return null;
    pairs++;
    const cell: Cell<T> = { from, to, n: 0, examples: null };
    if (row === undefined) byFrom.set(from, new Map([[to, cell]]));
    else row.set(to, cell);
    return cell;
  }

  return {
    add(from, to, rolloutId) {
      const cell = last !== null && last.from === from && last.to === to ? last : cellOf(from, to);
      if (cell === null) {
        other++;
        return;
      }
      last = cell;
      cell.n++;
      if (from === to) return;
      cell.examples ??= createFirstFew(CELL_EXAMPLES, compareText);
      cell.examples.add(rolloutId);
    },
    cells() {
      const cells: DiffCell[] = [];
      for (const [from, row] of byFrom)
        for (const [to, { n, examples }] of row)
          cells.push({ from: String(from), to: String(to), n, examples: [...(examples?.list() ?? [])] });
      return cells.sort(compareCells);
    },
    other: () => other,
  };
}

/** The most frequent first, then by what is in them. */
export function compareCells(a: DiffCell, b: DiffCell): number {
  return b.n - a.n || compareText(a.from, b.from) || compareText(a.to, b.to);
}
