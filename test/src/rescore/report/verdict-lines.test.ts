import { expect, it } from 'vitest';
import { reportText } from '../../../../src/rescore/report/text.ts';
import { verdictLines, verdictWarnings } from '../../../../src/rescore/report/verdict-lines.ts';
import { sampleReport } from './sample-report.ts';

const rewards = (changed: number) => ({
  ...{ matrix: [], other: 0, both: 0, sum_before: 0, sum_after: 0, sign_flips: 0 },
  changed,
});
const beside = { replaced: 0, beside: 40, first: 0, scorers: [{ scorer: 'sums', n: 40 }] };

it('says what became of each, also of those about what was not replayed', () => {
  const verdicts = { replaced: 30, beside: 4, first: 5, scorers: [{ scorer: 'sums', n: 4 }] };
  const report = sampleReport({ verdicts, rewards: rewards(3) }, {}, { verdicts: 41 });
  expect(verdictLines(report)).toEqual([
    'new verdicts: 30 in the place of an older one, 4 beside verdicts of sums, 5 where there was none, 2 about what was not replayed',
  ]);
  expect(verdictWarnings(report)).toEqual([]);
});

it('of a replay without verdicts there is nothing to say, and one that wanted some and got none is told', () => {
  expect(verdictLines(sampleReport())).toEqual([]);
  expect(verdictWarnings(sampleReport())).toEqual([]);
  expect(verdictLines(sampleReport({}, {}, { verdicts: 0 }))).toEqual(['new verdicts: none was given']);
});

it.each([
  [0, 'no reward changed'],
  [1, '1 reward changed'],
])('warns where another scorer was judged beside (%d changed), and says how to replace it', (changed, words) => {
  const report = sampleReport({ verdicts: beside, rewards: rewards(changed) }, {}, { verdicts: 40 });
  const warning = `none of the new verdicts took the place of another, and ${words}: what they say was added to what sums said; --scorer names whose verdicts are to be replaced`;
  expect(verdictWarnings(report)).toEqual([warning]);
  expect(reportText(report)).toContain(warning);
});

it('warns where all of them are about what was not replayed, also where nothing was', () => {
  const report = sampleReport({ attempts: 0 }, { units: 0, attempts: 0 }, { verdicts: 2 });
  expect(verdictWarnings(report)).toEqual([
    'none of the new verdicts took the place of another, and no reward changed',
  ]);
  expect(reportText(report)).toContain('new verdicts: 2 about what was not replayed');
});

it('does not warn where there was no verdict before, and rewards come of it', () => {
  const verdicts = { replaced: 0, beside: 0, first: 3, scorers: [] };
  expect(verdictWarnings(sampleReport({ verdicts, rewards: rewards(3) }, {}, { verdicts: 3 }))).toEqual([]);
});
