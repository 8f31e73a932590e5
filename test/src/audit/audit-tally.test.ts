import { expect, it } from 'vitest';
import { createTally } from '../../../src/audit/audit-tally.ts';
import { attemptReportOf, findingOf } from './attempt-report-of.ts';

const tallyOf = (...reports: ReturnType<typeof attemptReportOf>[]) => {
  const keeper = createTally(() => [], []);
  for (const report of reports) keeper.add(report, 'a.jsonl');
  return keeper.tally();
};

it('a class counts a trajectory once and each of its findings, and is as bad as the worst', () => {
  const repair = findingOf('silent_repair');
  const { classes } = tallyOf(
    attemptReportOf({ rolloutId: 'a', findings: [repair, repair] }),
    attemptReportOf({ rolloutId: 'b', findings: [{ ...repair, severity: 'fail' }, findingOf('malformed')] }),
    attemptReportOf({ rolloutId: 'c' }),
  );
  expect(classes.map(({ class: name, severity, trajectories, findings }) => [name, severity, trajectories, findings]))
    // What fails comes first.
    .toEqual([
      ['silent_repair', 'fail', 2, 3],
      ['malformed', 'warn', 1, 1],
    ]);
  expect(classes[0]?.examples.map(({ rolloutId, count }) => [rolloutId, count])).toEqual([
    ['b', 1],
    ['a', 2],
  ]);
});

it('keeps the 20 worst examples of a class, whatever there is', () => {
  const warn = findingOf('malformed');
  const shown = findingOf('malformed', { evidence: { text: '{' } });
  const many = Array.from({ length: 100 }, (_, i) => attemptReportOf({ rolloutId: `r${i}`, findings: [warn] }));
  const { classes } = tallyOf(...many, attemptReportOf({ rolloutId: 'shown', findings: [shown] }));
  expect(classes[0]).toMatchObject({ trajectories: 101, findings: 101 });
  expect(classes[0]?.examples).toHaveLength(20);
  expect(classes[0]?.examples[0]?.rolloutId).toBe('shown');
});

it('prompts that were rendered again add up, with why the others were not', () => {
  const count = { prompts: 3, rendered: 2, equal: 1, missing: { 'its tools': 1 } };
  const { rerender } = tallyOf(
    attemptReportOf({ rerender: count }),
    attemptReportOf({ rerender: { ...count, missing: { 'prompts of at most 1000 tokens in all': 4 } } }),
    attemptReportOf(),
  );
  expect(rerender).toMatchObject({ prompts: 6, rendered: 4, equal: 2 });
  expect([...rerender.missing]).toEqual([
    ['its tools', 1],
    ['prompts of at most N tokens in all', 4],
  ]);
});

it('a rollout without a model call is told of, and not judged by a gate', () => {
  const tally = tallyOf(
    attemptReportOf({ modelCalls: 0, category: 'infra_fault', code: 'sandbox_lost' }),
    attemptReportOf(),
  );
  expect(tally.trajectories).toBe(2);
  expect(tally.all.counts().trajectories).toBe(1);
  expect([...tally.endings.keys()]).toEqual(['sandbox_lost', 'task_complete']);
});

it('kinds of what was missing are bounded: the rest is counted together', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const { missing } = tallyOf(...letters.map((letter) => attemptReportOf({ missing: { wall: `field ${letter}` } })));
  expect(missing.wall.size).toBe(21);
  expect(missing.wall.get('')).toBe(6);
});
