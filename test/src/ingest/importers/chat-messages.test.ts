import { expect, test } from 'vitest';
import { createAttemptEvents } from '../../../../src/ingest/attempt-events.ts';
import type { JsonValue } from '../../../../src/ingest/exact-number.ts';
import { addChatMessages, type ChatOptions, createChat } from '../../../../src/ingest/importers/chat-messages.ts';

const IDENTITY = {
  ...{ run_id: 'r', purpose: 'train' as const, env_name: 'e', task_id: 't', epoch: 0 },
  ...{ group_id: null, group_size: null, rollout_id: 'x', attempt: 0 },
};

const events = () => createAttemptEvents(IDENTITY, { format: 'test' }, '00');

function eventsOf(messages: JsonValue[], options: ChatOptions = {}) {
  const out = events();
  const chat = addChatMessages(out, messages, 'messages', options);
  return { list: out.list, chat };
}

const call = (id: string, name = 'f') => ({ id, type: 'function', function: { name, arguments: '{"a": 1}' } });

test('each message is one event, by its role', () => {
  const { list, chat } = eventsOf([
    { role: 'system', content: 's' },
    { role: 'user', content: [{ type: 'text', text: 'u' }], name: 'ann' },
    { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call('c')] },
    { role: 'tool', tool_call_id: 'c', content: 'out' },
    { role: 'assistant', content: 'done' },
    'not a message',
  ]);
  expect(list.map(({ kind, message }) => message?.role ?? kind)).toEqual([
    ...['system', 'user', 'model_call', 'tool_result', 'model_call', 'unknown'],
  ]);
  expect(list[1]).toMatchObject({
    message: { parts_json: '[{"type":"text","text":"u"}]' },
    extra_json: '{"name":"ann"}',
  });
  expect(list[2]).toMatchObject({
    model_call: { call_id: 'call-0', raw_text: null },
    extra_json: '{"reasoning_content":"hm"}',
  });
  expect(list[5]?.message?.parts_json).toBe('"not a message"');
  expect([chat.calls, chat.finalText]).toEqual([2, null]);
});

test('results answer the last call that asked with their id; one that nobody asked for stands alone', () => {
  const { list } = eventsOf([
    { role: 'assistant', content: '', tool_calls: [call('c', 'first')] },
    { role: 'tool', tool_call_id: 'c', content: '1' },
    { role: 'assistant', content: '', tool_calls: [call('c', 'second')] },
    { role: 'tool', tool_call_id: 'c', content: '2' },
    { role: 'tool', tool_call_id: 'other', content: '3' },
    { role: 'tool', content: '4' },
  ]);
  const results = list.flatMap(({ tool_result: result }) =>
    result ? [[result.call_id, result.turn, result.name]] : [],
  );
  expect(results).toEqual([
    ['c', 0, 'first'],
    ['c', 1, 'second'],
    ['other', null, null],
    ['', null, null],
  ]);
});

test('calls may be JSON in strings; what the fields do not say is kept beside them, and what is no call makes none', () => {
  const flat = { id: 'a', name: 'f', arguments: { x: 1 } };
  const { list } = eventsOf([
    { role: 'assistant', tool_calls: JSON.stringify([flat]) },
    { role: 'assistant', tool_calls: ['{"id": "b", "function": {"name": "g", "arguments": "{bad"}}', 'not JSON'] },
    { role: 'assistant', tool_calls: [{ ...call('c'), index: 0 }] },
  ]);
  const calls = list.map(({ model_call }) =>
    model_call?.tool_calls?.map((one) => [one.call_id, one.name, one.arguments_raw?.toString(), one.arguments_parsed]),
  );
  expect(calls).toEqual([
    [['a', 'f', undefined, '{"x":1}']],
    [['b', 'g', '{bad', null]],
    [['c', 'f', '{"a": 1}', null]],
  ]);
  expect(list.map(({ extra_json }) => Object.keys(JSON.parse(extra_json ?? '{}')))).toEqual([
    [],
    ['tool_calls'],
    ['tool_calls'],
  ]);
});

test('what was there before the loop is input, whoever said it', () => {
  const { list } = eventsOf(
    [
      { role: 'assistant', content: 'shown', tool_calls: [call('c')] },
      { role: 'tool', tool_call_id: 'c', content: '1' },
      { role: 'assistant', content: 'own' },
    ],
    { completionFrom: 2, isRawContent: true },
  );
  expect(list.map(({ kind }) => kind)).toEqual(['message', 'message', 'model_call']);
  expect(list[2]?.model_call?.raw_text?.toString()).toBe('own');
  expect(list[2]?.extra_json).toBeNull();
});

test('what the caller knows goes before what the message says, and is not kept twice', () => {
  const { list } = eventsOf([{ role: 'assistant', content: 'a', id: 'm1', usage: { total: 3 } }], {
    known: (_, turn) => ({
      call: { call_id: `turn ${turn}`, finish_reason: 'stop' },
      place: { startedAtUs: 5 },
      extra: { more: 1 },
      taken: ['usage'],
    }),
  });
  expect(list[0]).toMatchObject({ started_at: 5, model_call: { call_id: 'turn 0', finish_reason: 'stop' } });
  expect(JSON.parse(list[0]?.extra_json ?? '')).toEqual({ content: 'a', id: 'm1', more: 1 });
});

test('calls that no message tells of count as turns', () => {
  const out = events();
  const chat = createChat(out);
  chat.addCall({ call_id: 'failed', error: { type: 'E', message: 'm' } });
  chat.add({ role: 'assistant', content: 'a', tool_calls: [call('c')] }, 'm');
  chat.add({ role: 'tool', tool_call_id: 'c', content: 'r' }, 'm');
  expect(out.list.at(-1)?.tool_result?.turn).toBe(1);
  expect(chat.calls).toBe(2);
});
