import { expect, it } from 'vitest';
import { createPaint, plain } from '../../../../src/cli/paint.ts';
import { conformReport } from '../../../../src/conform/report/conform-report.ts';
import { reportText } from '../../../../src/conform/report/report-text.ts';
import { again, call, following } from './hand-made.ts';

/** The same text, encoded again, in three tasks. */
const calls = [0, 1, 2].flatMap((task) => {
  const first = call({ scenario: 'noncanonical_split', task, call: task * 2 });
  return [first, following(first, 'x', { promptIds: [1, 2, 3, 30, 99] })];
});

it('a line a task, two of a class with both sides, and how many more there are', () => {
  const text = reportText(conformReport({ head: null, calls }, null), plain);
  expect(
    text.match(/^noncanonical_split +\d +laundered +the same text with other ids from sampled token 0 on$/gm),
  ).toHaveLength(3);
  expect(text.match(/^laundered {2}noncanonical_split#\d {2}next_prompt_ids reencoded, turn 0: /gm)).toHaveLength(2);
  expect(text).toContain('engine sent (call 0): [2 3 10 99] at 3\n  next prompt (call 1): [2 3 30 99] at 3');
  expect(text).toContain('and 1 more of next_prompt_ids reencoded');
  expect(text).toMatch(/\n0 faithful, 3 laundered, 0 not observable\n$/);
});

it('what a rollout says cannot colour or move anything', () => {
  const hostile = call({ rawText: 'x\u001b[31m', finishReason: { type: 'abort', message: '' } });
  const text = reportText(
    conformReport({ head: null, calls: [hostile, following(hostile, '\u001b[2J')] }, null),
    createPaint(true, {}),
  );
  expect(text).not.toContain('\u001b[31mx');
  expect(text).not.toContain('\u001b[2J');
  expect(text).toContain('\\u001b[2J');
});

it('nor with C1 controls, turned writing, or the name of its scenario', () => {
  const hostile = call({ scenario: 'x\u001b[2J', rawText: 'a\u009b31m', finishReason: { type: 'abort', message: '' } });
  const next = following(hostile, '\u009b2J \u202e', { promptIds: [1, 2, 3, 30, 99] });
  const text = reportText(conformReport({ head: null, calls: [hostile, next] }, null), plain);
  expect(text).toContain('x\\x1b[2J');
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});

it('what is laundered besides what a scenario is about is counted apart, and named', () => {
  const besides = [0, 1, 2, 3, 4].flatMap((task) => {
    const aborted = call({
      scenario: 'abort_partial',
      task,
      call: task * 3,
      finishReason: { type: 'abort', message: '' },
    });
    const retried = again(aborted, { finishReason: { type: 'stop', matched: 99 } });
    return [aborted, retried, following(retried, 'x', { promptIds: [1, 2, 3, 30, 99, 7] })];
  });
  const summaryOf = (some: typeof besides) =>
    reportText(conformReport({ head: null, calls: some }, null), plain)
      .trimEnd()
      .split('\n')
      .at(-1);
  expect(summaryOf(besides.slice(0, 3))).toBe(
    '1 faithful, 0 laundered, 0 not observable; ' +
      'in 1 not called laundered, something else than what the scenario is about was laundered: abort_partial#0',
  );
  expect(summaryOf(besides)).toMatch(
    /: abort_partial#0, abort_partial#1, abort_partial#2, abort_partial#3 and 1 more$/,
  );
});

it('a log in which nothing was asked says so, and what to do', () => {
  expect(reportText(conformReport({ head: null, calls: [] }, null), plain)).toBe(
    'nothing was asked: the log has no call. Start the engine (rollstream conform), point the stack at it, and run it on the ' +
      'tasks of rollstream conform tasks; 0 faithful, 0 laundered, 0 not observable\n',
  );
  const unmarked = call({ scenario: null, task: null });
  expect(reportText(conformReport({ head: null, calls: [unmarked] }, null), plain)).toMatch(
    /^nothing was asked: 1 call has no marker of a task\. /,
  );
});

it('what has no meaning in the form of the log is named, and only of what was asked for', () => {
  const head = { rollstream_conform: 1, startedAtUs: 0, seed: 0, tokenizerSha256: 'ab', model: 'm' } as const;
  const loose = call({ scenario: 'loose_arguments' });
  const text = reportText(
    conformReport({ head: { ...head, scenarios: [], calls: 'glm' }, calls: [loose] }, null),
    plain,
  );
  expect(text.trimEnd()).toMatch(
    /; not played, since calls are written as glm: loose_arguments with arguments that are a list, NaN among its arguments$/,
  );
});
