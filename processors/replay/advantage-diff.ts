import { compareText } from '../model/compare-text.ts';
import { GROUP_EXAMPLES } from './diff-limits.ts';
import type { AdvantageDiff } from './diff-tally.ts';
import { createFirstFew } from './first-few.ts';

/** Differences up to it are those of rounding. */
const ROUNDING = 1e-9;

export type MovedGroup = AdvantageDiff['examples'][number];

export interface AdvantageCounts {
  /** True: it moved. Members of a unit come one after another. */
  add(unit: string, before: number | null, after: number | null): boolean;
  diff(): AdvantageDiff;
}

export function createAdvantageDiff(): AdvantageCounts {
  let groupsMoved = 0;
  let attemptsMoved = 0;
  let largest = 0;
  let lastMoved: string | null = null;
  /** Of the unit that members come of now, the one that moved most. */
  let most: MovedGroup | null = null;
  const examples = createFirstFew<MovedGroup>(GROUP_EXAMPLES, compareMoved);

  function keep(): void {
    if (most !== null) examples.add(most);
    most = null;
  }

  return {
    add(unit, before, after) {
      if (before === after) return false;
      const isBoth = before !== null && after !== null;
      const by = isBoth ? Math.abs(after - before) : 0;
      if (isBoth && by <= ROUNDING) return false;
      attemptsMoved++;
      if (unit !== lastMoved) {
        keep();
        groupsMoved++;
        lastMoved = unit;
      }
      if (isBoth) {
        largest = Math.max(largest, by);
        const one = { unit, before, after };
        if (most === null || compareMoved(one, most) < 0) most = one;
      }
      return true;
    },
    diff() {
      keep();
      return { groups_moved: groupsMoved, attempts_moved: attemptsMoved, largest, examples: [...examples.list()] };
    },
  };
}

/** The furthest first. */
export function compareMoved(a: MovedGroup, b: MovedGroup): number {
  const furthest = Math.abs(b.after - b.before) - Math.abs(a.after - a.before);
  return furthest || compareText(a.unit, b.unit) || a.before - b.before || a.after - b.after;
}
