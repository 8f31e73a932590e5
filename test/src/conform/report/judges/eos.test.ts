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

it('where the answer was encoded again, the text behind its last words tells', () => {
  const other = call({ completionIds: [10, 11, 98], logprobs: [-1, -1, -1], rawText: 'all done<|endoftext|>' });
  const rendered = (end: string) => {
    const promptText = `user: go\nassistant:\nall done${end}\nuser: on`;
    return following(other, 'x', { promptIds: [1, 2, 3, 40, 41, 99], promptText });
  };
  expect(judged(judgeEndTokens, [other, rendered('<|im_end|>')])[0]).toBe('laundered end_replaced');
  expect(judged(judgeEndTokens, [other, rendered('<|endoftext|>')])[0]).toBe('faithful');
});

it('it is not observable where nothing shows it', () => {
  expect(judged(judgeEndTokens, [other])).toEqual(['not_observable']);
});
