import { attemptKey } from '../model/attempt.ts';
import { compareText } from '../model/compare-text.ts';
import type { UnitHistory } from '../model/replay.ts';
import { askedBy } from './asked-by.ts';
import type { VerdictDiff } from './diff-tally.ts';

/** Counts what new verdicts did, unit by unit. */
export interface VerdictCounts {
  add(unit: Pick<UnitHistory, 'records' | 'lateVerdicts' | 'newVerdicts'>): void;
  /** null: there were none. */
  diff(): VerdictDiff | null;
}

export function createVerdictDiff(): VerdictCounts {
  let replaced = 0;
  let beside = 0;
  let first = 0;
  const scorers = new Map<string, number>();
  return {
    add({ records, lateVerdicts, newVerdicts }) {
      if (newVerdicts.length === 0) return;
      const said = new Map<string, { readonly asked: Set<string>; readonly scorers: Set<string> }>();
      for (const { event } of [...records, ...lateVerdicts]) {
        if (event.verdict === null) continue;
        const key = attemptKey(event.rollout_id, event.attempt);
        const of = said.get(key) ?? { asked: new Set(), scorers: new Set() };
        said.set(key, of);
        of.asked.add(askedBy(event.verdict));
        of.scorers.add(event.verdict.scorer);
      }
      for (const { rolloutId, attempt, verdict } of newVerdicts) {
        const of = said.get(attemptKey(rolloutId, attempt));
        if (of === undefined) first++;
        else if (of.asked.has(askedBy(verdict))) replaced++;
        else {
          beside++;
          for (const scorer of of.scorers) scorers.set(scorer, (scorers.get(scorer) ?? 0) + 1);
        }
      }
    },
    diff: () =>
      replaced + beside + first === 0 ? null : { replaced, beside, first, scorers: inOrder([...scorers.entries()]) },
  };
}

/** Of two pieces that have no unit in common. */
export function mergeVerdicts(a: VerdictDiff | undefined, b: VerdictDiff | undefined): VerdictDiff | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const scorers = new Map(a.scorers.map(({ scorer, n }) => [scorer, n]));
  for (const { scorer, n } of b.scorers) scorers.set(scorer, (scorers.get(scorer) ?? 0) + n);
  return {
    replaced: a.replaced + b.replaced,
    beside: a.beside + b.beside,
    first: a.first + b.first,
    scorers: inOrder([...scorers]),
  };
}

function inOrder(scorers: ReadonlyArray<readonly [scorer: string, n: number]>): VerdictDiff['scorers'] {
  return scorers.map(([scorer, n]) => ({ scorer, n })).sort((a, b) => b.n - a.n || compareText(a.scorer, b.scorer));
}
