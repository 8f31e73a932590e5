import { expect, it } from 'vitest';
import { auditDecodedCalls } from '../../../../processors/audit/tools/audit-decoded-calls.ts';
import { HERMES } from '../../../../processors/audit/tools/parse/hermes.ts';
import type { ExecutedCall } from '../../../../processors/model/tools-watch.ts';
import { hermes } from './tool-events.ts';

const call = (over: Partial<ExecutedCall>): ExecutedCall => ({
  ...{ callId: '0', name: 'a', parsed: null, executed: null, status: null },
  ...over,
});
const classes = (text: string, calls: readonly ExecutedCall[], context = {}) =>
  auditDecodedCalls(text, { turn: 3, calls }, context)?.map(({ class: name, turn }) => [name, turn]);

it('a call that was executed as its tokens say is clean', () => {
  const text = `<think>\nx\n</think>\n\n${hermes('{"name": "a", "arguments": {"x": 1}}')}<|im_end|>`;
  expect(classes(text, [call({ parsed: '{"x":1}' })])).toEqual([]);
  expect(classes(text, [call({ parsed: '{"x":1}', executed: '{"x":1.0}', status: 'ok' })])).toEqual([]);
  expect(classes('Hello.<|im_end|>', [])).toEqual([]);
});

it('what the loop lost, made up or mended is found by the tokens (cases 47, 54, 66, 67)', () => {
  const text = hermes('{"name": "a", "arguments": {"x": 1}}', '{"name": "a", "arguments": {"x": 2}}');
  expect(classes(text, [call({ parsed: '{"x":1}' })])).toEqual([['parser_loss', 3]]);
  expect(classes(text, [call({ parsed: '{"x":1}' }), call({ callId: '1', parsed: '{"x":"2"}' })])).toEqual([
    ['argument_coerced', 3],
  ]);
  const broken = hermes('{"name": "a", "arguments": {"x": 1,}}');
  expect(classes(broken, [call({ parsed: '{"x":1}', status: 'ok' })])).toEqual([
    ['malformed', 3],
    ['silent_repair', 3],
  ]);
  expect(classes(broken, [call({ executed: '{}', status: 'ok' })])).toEqual([
    ['malformed', 3],
    ['args_lost', 3],
  ]);
  const draft = `${hermes('{"name": "a", "arguments": {}}')}</think>ok`;
  expect(classes(draft, [call({ parsed: '{}' })])).toEqual([['think_call_executed', 3]]);
  const all = hermes('{"name": "a", "arguments": {}}');
  const isOpen = { opensInThought: true };
  expect(classes(all, [call({ parsed: '{}' })], isOpen), 'cut: there is no end token').toEqual([
    ['think_call_executed', 3],
  ]);
  expect(classes(`${all}<|im_end|>`, [call({ parsed: '{}' })], isOpen)).toEqual([
    ['think_call_executed', 3],
    ['think_unclosed', 3],
  ]);
});

it('a text in no dialect that is known proves nothing of the calls that the loop has', () => {
  expect(classes('[TOOL_CALLS] a', [call({ parsed: '{}' })])).toBeUndefined();
  expect(classes('Hello.', [call({ parsed: '{}' })], { dialect: HERMES })).toEqual([['executed_without_call', 3]]);
});

it('a result that came twice is no second call of the loop (case 69)', () => {
  const text = hermes('{"name": "a", "arguments": {"x": 1}}');
  const ran = { executed: '{"x":1}', status: 'ok' } as const;
  expect(classes(text, [call({ parsed: '{"x":1}', ...ran }), call(ran)])).toEqual([['duplicate_tool_event', 3]]);
  expect(classes(text, [call(ran), call(ran)])).toEqual([['duplicate_tool_event', 3]]);
});
