import { describe, expect, it } from 'vitest';
import { judgeRecordedIds, judgeRecordedLogprobs } from '../../../../../src/conform/report/judges/recorded-tokens.ts';
import { call, judged, record, recordedCall, seen } from '../hand-made.ts';

const honest = call({ completionIds: [10, 11, 99], logprobs: [-0.1, -0.2, -0.3] });
const held = (completionIds: number[] | null, logprobs: number[] | null = null) =>
  record('task_complete', 'completion', [recordedCall({ completionIds, logprobs, rawText: 'x' })]);

describe('ids of a record', () => {
  it('are faithful where they are those that were sampled, and laundered from the first other one on', () => {
    expect(judged(judgeRecordedIds, [honest], held([10, 11, 99]))).toEqual(['faithful']);
    const [judgement] = judgeRecordedIds(seen([honest], held([10, 12, 99])));
    expect(judgement).toMatchObject({ verdict: 'laundered', class: 'other_ids' });
    expect(judgement?.evidence).toEqual([
      { of: 'engine', call: 0, index: 1, ids: [10, 11, 99], text: null },
      { of: 'record', call: null, index: 1, ids: [10, 12, 99], text: null },
    ]);
    expect(judged(judgeRecordedIds, [honest], held([10, 11]))).toEqual(['laundered other_ids']);
  });

  it('are not observable where the record has none', () => {
    expect(judged(judgeRecordedIds, [honest], held(null))).toEqual(['not_observable']);
    expect(judged(judgeRecordedIds, [honest])).toEqual([]);
  });
});

describe('logprobs of a record', () => {
  it('are compared as float32', () => {
    expect(judged(judgeRecordedLogprobs, [honest], held([10, 11, 99], [-0.1, -0.2, -0.3].map(Math.fround)))).toEqual([
      'faithful',
    ]);
    expect(judged(judgeRecordedLogprobs, [honest], held([10, 11, 99], [-0.1, -0.3, -0.3].map(Math.fround)))).toEqual([
      'laundered other_logprobs',
    ]);
    expect(judged(judgeRecordedLogprobs, [honest], held([10, 11, 99]))).toEqual(['not_observable']);
  });
});
