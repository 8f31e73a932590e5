import { expect, it } from 'vitest';
import { createPaint, plain } from '../../../../src/cli/paint.ts';
import { conformReport } from '../../../../src/conform/report/conform-report.ts';
import { reportText } from '../../../../src/conform/report/report-text.ts';
import { call, following } from './hand-made.ts';

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
  expect(text).toContain('0 faithful, 3 laundered, 0 not observable; something was laundered in 3');
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

it('nothing to tell is told', () => {
  expect(reportText(conformReport({ head: null, calls: [] }, null), plain)).toBe(
    '0 faithful, 0 laundered, 0 not observable; something was laundered in 0\n',
  );
});
