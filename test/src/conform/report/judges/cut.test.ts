import { describe, expect, it } from 'vitest';
import { judgeCuts } from '../../../../../src/conform/report/judges/cut.ts';
import { call, chatAfter, following, judged, record, recordedCall } from '../hand-made.ts';

const cut = call({
  rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "bri',
  finishReason: { type: 'length', length: 2 },
});

describe('an answer that ran out of tokens within a call', () => {
  it('is laundered where half the call was executed', () => {
    expect(judged(judgeCuts, [cut, following(cut, 'executed search {"query": "bri"}')])).toEqual([
      'laundered half_call_executed',
    ]);
    const result = { callId: 'c', name: 'search', executed: '{"query":"bri"}', status: 'ok', output: 'none' };
    const recorded = record('max_tokens_reached', 'budget', [recordedCall({ results: [result] })]);
    expect(judged(judgeCuts, [cut], recorded)).toEqual(['laundered half_call_executed']);
  });

  it('is faithful where the model was told', () => {
    expect(judged(judgeCuts, [cut, following(cut, 'error: the tool call was cut off, invalid JSON')])).toEqual([
      'faithful',
    ]);
  });

  it('is faithful where the next prompt goes on within it', () => {
    const held = [...cut.promptIds, ...cut.completionIds];
    const on = following(cut, '', { promptIds: held, promptText: `${cut.promptText}${cut.rawText}` });
    expect(judged(judgeCuts, [cut, on])).toEqual(['faithful']);
  });

  it('is laundered where a conversation goes on as from a whole answer', () => {
    const on = following(cut, '', { promptText: `${cut.promptText}${cut.rawText}<|im_end|>\n<|im_start|>assistant\n` });
    expect(judged(judgeCuts, [cut, on])).toEqual(['laundered cut_as_complete']);
  });

  it('is judged by what is said in whatever role, and not where that cannot be told', () => {
    for (const role of ['user', 'tool', 'system']) {
      const verdict = (text: string) => judged(judgeCuts, [cut, chatAfter(cut, [role, text])]);
      expect(verdict('Observation: executed search {"query": "bri"}')).toEqual(['laundered half_call_executed']);
      expect(verdict('Observation: invalid JSON')).toEqual(['faithful']);
      expect(verdict('there is only half of it')).toEqual(['not_observable']);
    }
    expect(judged(judgeCuts, [cut, chatAfter(cut, ['user', 'your answer was cut off'])])).toEqual(['faithful']);
    expect(judged(judgeCuts, [cut, chatAfter(cut, ['user', 'and now?'])])).toEqual(['not_observable']);
  });

  it('is judged by how the record ends', () => {
    expect(judged(judgeCuts, [cut], record('max_tokens_reached', 'budget'))).toEqual(['faithful']);
    expect(judged(judgeCuts, [cut], record('task_complete', 'completion'))).toEqual(['laundered cut_as_complete']);
    expect(judged(judgeCuts, [cut], record('x', 'unknown'))).toEqual(['not_observable']);
    expect(judged(judgeCuts, [cut])).toEqual(['not_observable']);
  });
});
