import { expect, it } from 'vitest';
import type { NewVerdict, UnitHistory } from '../../../processors/model/replay.ts';
import { mergeTallies, NO_CHANGES } from '../../../processors/replay/merge-tallies.ts';
import { createVerdictDiff } from '../../../processors/replay/verdict-diff.ts';
import { attemptOf } from '../events.ts';
import { lived, newVerdict, PATIENT } from './scene.ts';

const of = attemptOf();

function unitWith(newVerdicts: readonly NewVerdict[]): UnitHistory {
  const [unit] = lived([PATIENT], [of.start(), of.call(1), of.end(2), of.verdict(1)]).histories;
  if (unit === undefined) throw new Error('no unit');
  return { ...unit, newVerdicts };
}

function diffOf(...units: readonly UnitHistory[]) {
  const counts = createVerdictDiff();
  for (const unit of units) counts.add(unit);
  return counts.diff();
}

it('a verdict of the same scorer about the same turn took its place, whatever the version', () => {
  expect(diffOf(unitWith([newVerdict(0)]))).toEqual({ replaced: 1, beside: 0, first: 0, scorers: [] });
});

it('one that came too late is replaced like one that came in time', () => {
  const { records, ...unit } = unitWith([newVerdict(0)]);
  const isVerdict = ({ event }: (typeof records)[number]) => event.kind === 'verdict';
  const late = {
    ...unit,
    records: records.filter((one) => !isVerdict(one)),
    lateVerdicts: records.filter(isVerdict),
  };
  expect(diffOf(late)).toMatchObject({ replaced: 1 });
});

it('another scorer, or another turn, stands beside what was said, and the first of an attempt beside nothing', () => {
  const other = newVerdict(0, { scorer: 'exact' });
  const ofTurn = newVerdict(0, { bound_to: 0 });
  const first = { ...newVerdict(0), rolloutId: 's' };
  expect(diffOf(unitWith([other, ofTurn, first]))).toEqual({
    ...{ replaced: 0, beside: 2, first: 1 },
    scorers: [{ scorer: 'scorer', n: 2 }],
  });
});

it('none is nothing to tell', () => {
  expect(diffOf(unitWith([]))).toBeNull();
});

it('pieces add up, scorers by how often', () => {
  const tallyOf = (scorer: string, n: number) => ({
    ...NO_CHANGES,
    verdicts: { replaced: 1, beside: n, first: 2, scorers: [{ scorer, n }] },
  });
  const sum = mergeTallies(mergeTallies(tallyOf('a', 1), tallyOf('b', 3)), mergeTallies(NO_CHANGES, tallyOf('a', 4)));
  expect(sum.verdicts).toEqual({
    ...{ replaced: 3, beside: 8, first: 6 },
    scorers: [
      { scorer: 'a', n: 5 },
      { scorer: 'b', n: 3 },
    ],
  });
  expect(mergeTallies(NO_CHANGES, NO_CHANGES)).toEqual(NO_CHANGES);
});
