import { describe, expect, it } from 'vitest';
import { judgeAborts, judgeLateAnswers, judgeResets } from '../../../../../src/conform/report/judges/partial-answer.ts';
import { again, call, chatAfter, following, judged, record, seen } from '../hand-made.ts';

const aborted = call({
  ...{ rawText: 'The numb', completionIds: [10, 11], finishReason: { type: 'abort', message: 'weights' } },
  misbehaved: 'aborted after 2 tokens',
});

describe('an answer that the engine aborted with HTTP 200', () => {
  it('is faithful where it was asked for again, and answered', () => {
    expect(judged(judgeAborts, [aborted, again(aborted, { finishReason: { type: 'stop', matched: 99 } })])).toEqual([
      'faithful',
    ]);
  });

  it('is laundered where the next prompt goes on from it', () => {
    expect(judged(judgeAborts, [aborted, following(aborted, '42')])).toEqual(['laundered abort_as_complete']);
  });

  it('is faithful where the model was told, in whatever role', () => {
    for (const role of ['user', 'system']) {
      const told = chatAfter(aborted, [role, 'Your answer was interrupted. Write it again.']);
      expect(judged(judgeAborts, [aborted, told])).toEqual(['faithful']);
      expect(judged(judgeAborts, [aborted, chatAfter(aborted, [role, 'and now?'])])).toEqual([
        'laundered abort_as_complete',
      ]);
    }
  });

  it('is laundered where the record calls the rollout complete, with both sides as evidence', () => {
    const [judgement] = judgeAborts(seen([aborted], record('task_complete', 'completion')));
    expect(judgement).toMatchObject({ verdict: 'laundered', class: 'abort_as_complete', turn: 0 });
    expect(judgement?.evidence).toEqual([
      { of: 'engine', call: 0, index: null, ids: null, text: 'The numb' },
      {
        ...{ of: 'record', call: null, index: null, ids: null },
        text: 'results.jsonl:1: ended task_complete, which is completion',
      },
    ]);
  });

  it('is faithful where the record blames the infrastructure', () => {
    expect(judged(judgeAborts, [aborted], record('connection_error', 'infra_fault'))).toEqual(['faithful']);
  });

  it('is not observable where nobody says what became of it', () => {
    expect(judged(judgeAborts, [aborted])).toEqual(['not_observable']);
    expect(judged(judgeAborts, [aborted], { ...record('', 'unknown'), ending: null })).toEqual(['not_observable']);
    expect(judged(judgeAborts, [aborted], record('unclassified_error', 'unknown'))).toEqual(['not_observable']);
  });

  it('does not come up where the engine was honest', () => {
    expect(judged(judgeAborts, [call()])).toEqual([]);
  });
});

describe('an answer whose connection was reset', () => {
  const reset = call({
    ended: 'reset',
    finishReason: null,
    completionIds: [10],
    logprobs: [-0.5],
    rawText: 'do',
    misbehaved: 'reset',
  });

  it('is faithful where it was asked for again, and laundered where a part stands for the whole', () => {
    expect(judged(judgeResets, [reset, again(reset, { ended: 'complete', finishReason: { type: 'stop' } })])).toEqual([
      'faithful',
    ]);
    expect(judged(judgeResets, [reset, following(reset, '42')])).toEqual(['laundered partial_as_complete']);
    expect(judged(judgeResets, [reset], record('task_complete', 'completion'))).toEqual([
      'laundered partial_as_complete',
    ]);
  });
});

describe('an answer that came late', () => {
  const late = call({ misbehaved: 'first token after 20 s' });

  it('is faithful where it was waited for', () => {
    expect(judged(judgeLateAnswers, [late, following(late, '42')])).toEqual(['faithful']);
  });

  it('is judged by the ending where the client left', () => {
    const left = { ...late, ended: 'client_gone' } as const;
    expect(judged(judgeLateAnswers, [left], record('timeout', 'budget'))).toEqual(['faithful']);
    expect(judged(judgeLateAnswers, [left], record('task_complete', 'completion'))).toEqual([
      'laundered partial_as_complete',
    ]);
  });

  it('is not observable where nothing follows the answer', () => {
    expect(judged(judgeLateAnswers, [late])).toEqual([]);
  });
});
