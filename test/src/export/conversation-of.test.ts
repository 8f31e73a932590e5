import { describe, expect, it } from 'vitest';
import { conversationOf } from '../../../src/export/conversation-of.ts';
import type { SaidEvent } from '../../../src/export/said-events.ts';

function said(kind: SaidEvent['kind'], event: Partial<SaidEvent> = {}): SaidEvent {
  return {
    ...{ unit: 'u', rollout_id: 'r', attempt: 0, segment_id: 'main', kind, source_format: 'rollstream' },
    ...{ text: null, extra_json: null, role: '', call_id: null, tool_name: null, tools_json: null },
    ...{ has_completion_ids: false, n_completion: 0, calls: [] },
    ...event,
  };
}
const start = said('start', { text: 'What is 2 + 2?' });
const answer = said('model_call', { text: '4<|im_end|>' });
const user = (content: unknown) => said('message', { role: 'user', text: JSON.stringify(content) });

describe('a conversation', () => {
  it('begins with the task where the source tells no user, behind what the system says', () => {
    const system = said('message', { role: 'system', text: '"Be brief."' });
    expect(conversationOf([start, system, answer])).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is 2 + 2?' },
        { role: 'assistant', content: '4<|im_end|>' },
      ],
      tools: null,
      joined: 0,
    });
  });

  it('has what the user said once, though the task says it too', () => {
    expect(conversationOf([start, user('What is 2 + 2?'), answer])).toMatchObject({
      messages: [{ role: 'user', content: 'What is 2 + 2?' }, { role: 'assistant' }],
    });
  });

  it('has calls that stand in the text there alone, and others beside it', () => {
    const call = ['c1', 'add', '{"a":2}', '{"a": 2}', null] as const;
    const written = '<tool_call>\n{"name": "add", "arguments": {"a":2}}\n</tool_call>';
    const within = said('model_call', { text: written, calls: [call] });
    const beside = said('model_call', { text: 'Let me add.', calls: [call] });
    const result = said('tool_result', { text: '4', call_id: 'c1', tool_name: 'add' });
    const found = conversationOf([start, within, result, beside, result, answer]);
    expect(found).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: written },
        { role: 'tool', content: '4', tool_call_id: 'c1', name: 'add' },
        {
          ...{ role: 'assistant', content: 'Let me add.' },
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2}' } }],
        },
        { role: 'tool' },
        { role: 'assistant' },
      ],
    });
    expect('messages' in found && found.messages[1]).not.toHaveProperty('tool_calls');
  });

  it('has reasoning, text and calls of a server that split them', () => {
    const items = [
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Two and two.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is 4.' }] },
    ];
    const call = said('model_call', { extra_json: JSON.stringify({ items }) });
    expect(conversationOf([start, call])).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: 'It is 4.', reasoning_content: 'Two and two.' }],
    });
  });

  it('joins parts of text and says so, and leaves out input behind the last answer', () => {
    const trailing = said('model_call', { has_completion_ids: true });
    const parts = user([{ text: 'What is ' }, { type: 'text', text: '2 + 2?' }]);
    expect(conversationOf([start, parts, answer, trailing])).toMatchObject({
      messages: [{ role: 'user', content: 'What is 2 + 2?' }, { role: 'assistant' }],
      joined: 1,
    });
  });

  it('has the tools as the source gave them', () => {
    const tools = [{ name: 'add', parameters: {} }];
    expect(conversationOf([{ ...start, tools_json: JSON.stringify(tools) }, answer])).toMatchObject({ tools });
  });
});

describe('no conversation, by its reason', () => {
  const odd = ['c', null, '{', null, null] as const;
  it.each([
    ['no_model_call', [start]],
    ['no_prompt', [said('start'), answer]],
    ['several_segments', [start, answer, { ...answer, segment_id: 'sub' }]],
    ['call_without_text', [start, said('model_call', { calls: [['c', 'add', '{}', null, null]] })]],
    ['call_without_text', [start, said('model_call')]],
    ['call_in_parts', [start, said('model_call', { text: 'a', calls: [odd] })]],
    [
      'call_in_parts',
      [start, said('model_call', { extra_json: '{"items":[{"type":"reasoning","encrypted_content":"x"}]}' })],
    ],
    ['tool_result_without_text', [start, answer, said('tool_result', { call_id: 'c' })]],
    ['message_not_text', [user([{ type: 'image', url: 'x' }]), answer]],
    ['message_of_unknown_role', [said('message', { role: 'critic', text: '"no"' }), start, answer]],
  ])('%s', (reason, events) => {
    expect(conversationOf(events)).toEqual({ reason });
  });
});
