import { describe, expect, it } from 'vitest';
import { judgeNextPromptIds } from '../../../../../src/conform/report/judges/next-prompt-ids.ts';
import { call, following, judged, seen } from '../hand-made.ts';

/** "ab" was sampled as two tokens, 20 and 21, where a tokenizer would write one, 30. */
const split = call({ completionIds: [10, 20, 21, 99], rawText: 'sab<|im_end|>', logprobs: [-1, -1, -1, -1] });

describe('ids of the next prompt', () => {
  it('are faithful where it begins with what stood in the engine', () => {
    expect(judged(judgeNextPromptIds, [split, following(split, 'x')])).toEqual(['faithful']);
  });

  it('are laundered where the same text has other ids, and the place is told', () => {
    const next = following(split, 'x', { promptIds: [1, 2, 3, 10, 30, 99, 7, 8] });
    const [judgement] = judgeNextPromptIds(seen([split, next]));
    expect(judgement).toMatchObject({ verdict: 'laundered', class: 'reencoded', turn: 0 });
    expect(judgement?.detail).toBe('the same text with other ids from sampled token 1 on');
    expect(judgement?.evidence).toEqual([
      { of: 'engine', call: 0, index: 4, ids: [3, 10, 20, 21, 99], text: null },
      { of: 'next_prompt', call: 1, index: 4, ids: [3, 10, 30, 99, 7, 8], text: null },
    ]);
  });

  it('are laundered where what was sampled stands otherwise', () => {
    const next = following(split, 'x', { promptIds: [1, 2, 3, 40, 99, 7], promptText: 'user: go\nother<|im_end|>' });
    expect(judged(judgeNextPromptIds, [split, next])).toEqual(['laundered rewritten']);
  });

  it('are not observable where the template left out a thought, or the history before was rewritten', () => {
    const thought = call({ rawText: '<think>hm</think>\n\nyes<|im_end|>', completionIds: [50, 51, 52, 99] });
    const without = following(thought, 'x', {
      promptIds: [1, 2, 3, 52, 99],
      promptText: 'user: go\nyes<|im_end|>\nuser: on',
    });
    expect(judged(judgeNextPromptIds, [thought, without])).toEqual(['not_observable']);
    const trimmed = following(split, 'x', { promptIds: [1, 5], promptText: 'user: on' });
    expect(judged(judgeNextPromptIds, [split, trimmed])).toEqual(['not_observable']);
  });

  it('are not told of where nothing was asked after', () => {
    expect(judged(judgeNextPromptIds, [split])).toEqual([]);
  });
});
