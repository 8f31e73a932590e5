import { compareText } from '../model/compare-text.ts';
import { compareMoved } from './advantage-diff.ts';
import { compareChanged } from './compare-changed.ts';
import { CELL_EXAMPLES, GROUP_EXAMPLES, MOST_NAMED, MOST_PAIRS } from './diff-limits.ts';
import type { AdvantageDiff, DiffCell, DiffTally, RewardDiff } from './diff-tally.ts';
import { createFirstFew } from './first-few.ts';
import { compareCells } from './pair-counts.ts';
import { mergeVerdicts } from './verdict-diff.ts';

/** The tally of nothing. */
export const NO_CHANGES: DiffTally = {
  ...{ attempts: 0, same: 0, changed: 0, vanished: 0, appeared: 0, reasons: [], categories: [], dispositions: [] },
  rewards: { matrix: [], other: 0, changed: 0, both: 0, sum_before: 0, sum_after: 0, sign_flips: 0 },
  advantages: { groups_moved: 0, attempts_moved: 0, largest: 0, examples: [] },
  examples: [],
};

/**
 * The tally of two pieces of a replay that have no unit in common: what one tally of both would be. But for rewards of more
 * than MOST_PAIRS pairs: which of them have a cell of their own depends on the pieces, what there is in all does not.
 */
export function mergeTallies(a: DiffTally, b: DiffTally): DiffTally {
  const verdicts = mergeVerdicts(a.verdicts, b.verdicts);
  return {
    attempts: a.attempts + b.attempts,
    same: a.same + b.same,
    changed: a.changed + b.changed,
    vanished: a.vanished + b.vanished,
    appeared: a.appeared + b.appeared,
    reasons: mergeCells(a.reasons, b.reasons),
    categories: mergeCells(a.categories, b.categories),
    dispositions: mergeCells(a.dispositions, b.dispositions),
    rewards: mergeRewards(a.rewards, b.rewards),
    advantages: mergeAdvantages(a.advantages, b.advantages),
    examples: firstOf(MOST_NAMED, compareChanged, a.examples, b.examples),
    ...(verdicts && { verdicts }),
  };
}

function mergeRewards(a: RewardDiff, b: RewardDiff): RewardDiff {
  const cells = mergeCells(a.matrix, b.matrix);
  const rest = cells.slice(MOST_PAIRS).reduce((sum, { n }) => sum + n, 0);
  return {
    matrix: cells.slice(0, MOST_PAIRS),
    other: a.other + b.other + rest,
    changed: a.changed + b.changed,
    both: a.both + b.both,
    sum_before: a.sum_before + b.sum_before,
    sum_after: a.sum_after + b.sum_after,
    sign_flips: a.sign_flips + b.sign_flips,
  };
}

function mergeAdvantages(a: AdvantageDiff, b: AdvantageDiff): AdvantageDiff {
  return {
    groups_moved: a.groups_moved + b.groups_moved,
    attempts_moved: a.attempts_moved + b.attempts_moved,
    largest: Math.max(a.largest, b.largest),
    examples: firstOf(GROUP_EXAMPLES, compareMoved, a.examples, b.examples),
  };
}

function mergeCells(a: readonly DiffCell[], b: readonly DiffCell[]): DiffCell[] {
  const merged = new Map(a.map((cell) => [keyOf(cell), cell]));
  for (const cell of b) {
    const there = merged.get(keyOf(cell));
    merged.set(keyOf(cell), there === undefined ? cell : sumOf(there, cell));
  }
  return [...merged.values()].sort(compareCells);
}

function sumOf(a: DiffCell, b: DiffCell): DiffCell {
  const examples = firstOf(CELL_EXAMPLES, compareText, a.examples, b.examples);
  return { from: a.from, to: a.to, n: a.n + b.n, examples };
}

function keyOf({ from, to }: DiffCell): string {
  return `${from}\0${to}`;
}

function firstOf<T>(
  most: number,
  compare: (a: T, b: T) => number,
  ...lists: ReadonlyArray<readonly T[]>
): readonly T[] {
  const first = createFirstFew(most, compare);
  for (const list of lists) for (const one of list) first.add(one);
  return [...first.list()];
}
