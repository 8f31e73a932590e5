import { expect, it } from 'vitest';
import { judgeEndTokens } from '../../../../../src/conform/report/judges/eos.ts';
import { call, following, judged, record, recordedCall } from '../hand-made.ts';

/** 98 ends an answer as well as 99 does. */
const other = call({ completionIds: [10, 98], rawText: 'done<|endoftext|>' });
const held = (completionIds: number[]) => record('task_complete', 'completion', [recordedCall({ completionIds })]);

it('the id that ended an answer is faithful where the next prompt or the record keeps it', () => {
  expect(judged(judgeEndTokens, [other, following(other, 'x')])).toEqual(['faithful', 'not_observable']);
  expect(judged(judgeEndTokens, [other], held([10, 98]))).toEqual(['faithful']);
});

it('it is laundered where another takes its place, or none', () => {
  const replaced = following(other, 'x', { promptIds: [1, 2, 3, 10, 99, 7] });
  expect(judged(judgeEndTokens, [other, replaced])).toEqual(['laundered end_replaced', 'not_observable']);
  expect(judged(judgeEndTokens, [other, replaced], held([10, 98]))[0]).toBe('laundered end_replaced');
  expect(judged(judgeEndTokens, [other], held([10, 99]))).toEqual(['laundered end_replaced']);
  expect(judged(judgeEndTokens, [other], held([10]))).toEqual(['laundered end_dropped']);
});

it('it is not observable where nothing shows it', () => {
  expect(judged(judgeEndTokens, [other])).toEqual(['not_observable']);
});
