import { expect, it } from 'vitest';
import { reportText } from '../../../../src/rescore/report/text.ts';
import { changedAttempt, decidedAs, repairedReport, sampleReport } from './sample-report.ts';

it('says what was replayed under what, what changed with a rollout to look at, and what to do next', () => {
  expect(reportText(repairedReport()).join('\n')).toBe(
    `Replay r-1, repaired
5 units read, 40 attempts decided again; policy 0123456789ab, taxonomy as it was then
compared with replay r-0
changed: 3 of 40 (7.5 %)
1 attempt would not have been opened
rewards: 3 changed; their mean from 0.5 to 0.75 over 39 attempts that have one before and after; 2 signs flip
advantages: 8 attempts of 2 groups moved, the furthest by 1.5
7 rollouts could not be replayed

Dispositions
  was    is    attempts  such as
  train  drop         2  gsm-7

Rewards
  was   is  attempts  such as
  0      1         2  gsm-1
  null   0         1  gsm-3
  and 1 attempt of other values

Groups whose advantages moved
  group       advantage was    is
  run/0/g/g1          -0.75  0.75
  and 1 more group

Changed
  rollout          reason                      disposition                          reward    advantage
  gsm-1            task_complete (completion)  train                                0 → 1     -0.75 → 0.75
  gsm-3 attempt 2  task_complete (completion)  train                                null → 0  null
  gsm-4            task_complete (completion)  train → not opened: already_decided  1         null
  and 1 more attempt

Not replayed
  reason  rollouts  why                        such as
  open           7  an attempt is not decided  a, b, c, d, e …

Emitted
  12 trajectories of 3 units to trajectories.ready
  left out as already_trained: 5
  left out as stale: 2

Next
  rollstream explain gsm-1   # look at one
  rollstream query --named score_versions   # compare versions`,
  );
});

it('says so where nothing changed, and shows no empty tables', () => {
  const diff = { reasons: [{ from: 'task_complete', to: 'task_complete', n: 40, examples: [] }] };
  expect(reportText(sampleReport(diff, { saved: false }))).toEqual([
    'Replay r-1 (a dry run: nothing is kept but this report)',
    '5 units read, 40 attempts decided again; policy as it was then, taxonomy as it was then',
    'compared with what was decided live',
    'nothing changed: 40 attempts are decided as before',
  ]);
});

it('does not say that nothing changed where nothing was met', () => {
  const none = { attempts: 0, units: 0, units_done: 0, saved: false };
  expect(reportText(sampleReport({ attempts: 0 }, none)).slice(3)).toEqual([
    'nothing to replay: no unit that was decided and has records is in what was asked for',
  ]);
});

it('says how far one is that is not over, and what ended one that failed', () => {
  const halfway = { attempts: 20, units_done: 2, ended_at: null };
  expect(reportText(sampleReport({ attempts: 20 }, { ...halfway, state: 'running', interrupted: true }))).toEqual(
    expect.arrayContaining([
      'running, but nobody works on it: so far 2 of 5 units read, 20 attempts decided again; policy as it was then, taxonomy as it was then',
      '  rollstream replay --resume r-1   # go on with it',
    ]),
  );
  const error = { code: 'RS_BROKER_UNREACHABLE', message: 'no broker' };
  expect(reportText(sampleReport({}, { ...halfway, state: 'failed', error }))).toContain(
    'ended by RS_BROKER_UNREACHABLE: no broker',
  );
});

it('names the first twenty that changed, and fifty cells; what is more is a number', () => {
  const matrix = Array.from({ length: 60 }, (_, index) => ({
    from: '0',
    to: `0.${index + 10}`,
    n: 1,
    examples: ['a'],
  }));
  const examples = Array.from({ length: 60 }, (_, index) => changedAttempt(`r${index + 10}`));
  const rewards = { matrix, other: 4, changed: 64, both: 64, sum_before: 0, sum_after: 1, sign_flips: 64 };
  const lines = reportText(sampleReport({ changed: 64, same: 0, attempts: 64, rewards, examples }));
  expect(lines.filter((line) => /^ {2}r\d\d /.test(line)).length).toBe(20);
  expect(lines).toContain('  and 44 more attempts');
  expect(lines.filter((line) => /^ {2} +0 +0\.\d/.test(line)).length).toBe(50);
  expect(lines).toContain('  and 14 attempts of other values');
});

it('says why an attempt goes another way', () => {
  const after = decidedAs({ disposition: 'quarantine', why: 'verifier_crash, task_complete', reward: null });
  const lines = reportText(sampleReport({ changed: 1, examples: [changedAttempt('a', { after })] }));
  expect(lines.filter((line) => line.startsWith('  a ')).map((line) => line.replace(/ +/g, ' '))).toEqual([
    ' a task_complete (completion) train → quarantine: verifier_crash, task_complete 1 → null null',
  ]);
});

it('ids of a producer cannot move the cursor, nor make a shell do more than asked', () => {
  const id = "a\u001b[2J; rm -rf ~ 'x'";
  const lines = reportText(sampleReport({ changed: 1, examples: [changedAttempt(id)] }));
  expect(lines.join('\n')).not.toContain('\u001b');
  expect(lines).toContain("  rollstream explain 'a\\x1b[2J; rm -rf ~ '\\''x'\\'''   # look at one");
});
