import type { ReadyEntry, RunHead } from '../model/delivery.ts';

export type Range = readonly [from: number, to: number];

/** Whether a range has the offset; they are sorted, and apart. */
export function isInRanges(ranges: readonly Range[], offset: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[0] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && offset < range[1];
}

interface FinalOf {
  readonly final: RunHead['final'];
  readonly order: { readonly entries: readonly ReadyEntry[] };
}

/** What is final once these have gone, too; where nothing is left, all below `position`. */
export function finalBeside(
  { final, order: { entries } }: FinalOf,
  gone: ReadonlySet<number>,
  position: number,
): Pick<RunHead, 'low' | 'final'> {
  const first = entries.findIndex(({ offset }) => !gone.has(offset));
  const low = entries[first]?.offset ?? position;
  const above = [...gone].filter((offset) => offset > low).sort((a, b) => a - b);
  const end = Math.max(above.at(-1) ?? 0, final.at(-1)?.[1] ?? 0);
  const live: number[] = [];
  // Most often what is final lies below: then there is nothing to look at.
  for (let i = first; i >= 0 && i < entries.length; i++) {
    const offset = entries[i]?.offset ?? end;
    if (offset >= end) break;
    if (!gone.has(offset)) live.push(offset);
  }
  return { low, final: joinFinal(final, above, live, low) };
}

/**
 * All that is final from `low` on. What lies between two final entries and is no live entry of the run belongs to others or is
 * final: one range has it, so that there are no more ranges than live entries. `live`, `gone`: sorted.
 */
export function joinFinal(
  before: readonly Range[],
  gone: readonly number[],
  live: readonly number[],
  low: number,
): Range[] {
  const parts = [...before, ...gone.map((offset): Range => [offset, offset + 1])]
    .filter(([, to]) => to > low)
    .sort((a, b) => a[0] - b[0]);
  const joined: Range[] = [];
  let at = 0;
  for (const [from, to] of parts) {
    const last = joined.at(-1);
    while ((live[at] ?? Number.POSITIVE_INFINITY) < (last?.[1] ?? 0)) at += 1;
    if (last === undefined || (live[at] ?? Number.POSITIVE_INFINITY) < from) joined.push([from, to]);
    else joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return joined;
}
