import type { DiffCell } from '../../../processors/replay/diff-tally.ts';

/** Cells that a report shows; the rest is a number. */
export const MOST_CELLS = 50;

/** What is to be seen of a matrix: where something changed, the most frequent first. */
export interface MovedCells {
  readonly cells: readonly DiffCell[];
  /** Attempts in all cells that changed. */
  readonly n: number;
  /** Attempts in those that are not shown. */
  readonly more: number;
}

/** `uncounted`: attempts that have no cell. Holds: `cells` are in order. */
export function movedCells(cells: readonly DiffCell[], uncounted = 0): MovedCells {
  const moved = cells.filter(({ from, to }) => from !== to);
  const n = sumOf(moved) + uncounted;
  const shown = moved.slice(0, MOST_CELLS);
  return { cells: shown, n, more: n - sumOf(shown) };
}

function sumOf(cells: readonly DiffCell[]): number {
  return cells.reduce((sum, { n }) => sum + n, 0);
}
