import { describe, expect, it } from 'vitest';
import { judgeCuts } from '../../../../../src/conform/report/judges/cut.ts';
import { call, following, judged, record, recordedCall } from '../hand-made.ts';

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
    const on = following(cut, '', { promptText: `${cut.promptText}${cut.rawText}\nuser: and now?` });
    expect(judged(judgeCuts, [cut, on])).toEqual(['laundered cut_as_complete']);
  });

  it('is judged by how the record ends', () => {
    expect(judged(judgeCuts, [cut], record('max_tokens_reached', 'budget'))).toEqual(['faithful']);
    expect(judged(judgeCuts, [cut], record('task_complete', 'completion'))).toEqual(['laundered cut_as_complete']);
    expect(judged(judgeCuts, [cut], record('x', 'unknown'))).toEqual(['not_observable']);
    expect(judged(judgeCuts, [cut])).toEqual(['not_observable']);
  });
});
