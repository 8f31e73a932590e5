import { expect, it } from 'vitest';
import { judgeExtraLogprobs } from '../../../../../src/conform/report/judges/extra-logprob.ts';
import { again, call, judged, record, recordedCall } from '../hand-made.ts';

const extra = call({ completionIds: [10, 99], logprobs: [-0.5, -0.25, -0.125], misbehaved: 'one logprob too many' });
const held = (logprobs: number[] | null) =>
  record('task_complete', 'completion', [recordedCall({ completionIds: [10, 99], logprobs })]);

it('one logprob too many is laundered where the record took the first, the last, or others without a word', () => {
  expect(judged(judgeExtraLogprobs, [extra], held([-0.5, -0.25]))).toEqual(['laundered trimmed']);
  expect(judged(judgeExtraLogprobs, [extra], held([-0.25, -0.125]))).toEqual(['laundered shifted']);
  expect(judged(judgeExtraLogprobs, [extra], held([-0.5, -0.125]))).toEqual(['laundered other_logprobs']);
});

it('it is faithful where all are kept, where only this answer has none, or where it was asked for again', () => {
  expect(judged(judgeExtraLogprobs, [extra], held([-0.5, -0.25, -0.125]))).toEqual(['faithful']);
  expect(judged(judgeExtraLogprobs, [extra, again(extra, { logprobs: [-0.5, -0.25] })])).toEqual(['faithful']);
  expect(judged(judgeExtraLogprobs, [extra], record('error', 'harness_fault'))).toEqual(['faithful']);
  const others = [recordedCall({ completionIds: [10, 99] }), recordedCall({ completionIds: [5], logprobs: [-1] })];
  expect(judged(judgeExtraLogprobs, [extra], record('task_complete', 'completion', others))).toEqual(['faithful']);
});

it('it is not observable where there is no record, or one without any logprobs', () => {
  expect(judged(judgeExtraLogprobs, [extra])).toEqual(['not_observable']);
  expect(judged(judgeExtraLogprobs, [extra], held(null))).toEqual(['not_observable']);
});
