import { describe, expect, it } from 'vitest';
import { judgeFaultyCalls } from '../../../../../src/conform/report/judges/faulty-calls.ts';
import type { RecordedRollout } from '../../../../../src/conform/report/recorded-rollout.ts';
import { call, chatAfter, following, judged, record, recordedCall, seen } from '../hand-made.ts';

const malformed = call({
  rawText: '<tool_call>\n{"name": "search", "arguments": {query: test}}\n</tool_call><|im_end|>',
});
const unclosed = call({ rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "test"}}<|im_end|>' });
const renamed = call({
  rawText: '<tool_call>\n{"name": "search", "parameters": {"query": "test"}}\n</tool_call><|im_end|>',
});
const quoted = call({
  rawText: '<tool_call>\n{"name": "search", "arguments": "{\\"query\\": \\"test\\"}"}\n</tool_call><|im_end|>',
});
const single = call({
  rawText: "<tool_call>\n{'name': 'search', 'arguments': {'query': 'test'}}\n</tool_call><|im_end|>",
});

function ran(executed: string, status = 'ok', output = 'found'): RecordedRollout {
  const result = { callId: 'c', name: 'search', executed, status, output };
  return record('task_complete', 'completion', [recordedCall({ results: [result] })]);
}

describe('a malformed call', () => {
  it('is laundered where it was executed with nothing, and the evidence has both', () => {
    const [judgement] = judgeFaultyCalls(seen([malformed, following(malformed, 'executed search {}')]));
    expect(judgement).toMatchObject({ check: 'malformed_call', verdict: 'laundered', class: 'empty_arguments' });
    expect(judgement?.evidence.map(({ of, call: at, text }) => [of, at, text])).toEqual([
      ['engine', 0, '<tool_call>\n{"name": "search", "arguments": {query: test}}\n</tool_call>'],
      ['next_prompt', 1, 'search given {}: executed search {}'],
    ]);
    expect(judged(judgeFaultyCalls, [malformed], ran('{}'))).toEqual(['laundered empty_arguments']);
  });

  it('is laundered where a check of arguments that were never there answers for the parser', () => {
    const told = 'Error: 1 validation error for search: query Field required [type=missing, input_value={}]';
    expect(judged(judgeFaultyCalls, [malformed, following(malformed, told)])).toEqual(['laundered empty_arguments']);
  });

  it('is laundered where it was mended and run', () => {
    expect(judged(judgeFaultyCalls, [malformed, following(malformed, 'executed search {"query": "test"}')])).toEqual([
      'laundered repaired',
    ]);
  });

  it('is faithful where it was not run, and the model was told', () => {
    expect(judged(judgeFaultyCalls, [malformed, following(malformed, 'error: the call is not valid JSON')])).toEqual([
      'faithful',
    ]);
  });

  it('is laundered where nothing is said of it', () => {
    const on = following(malformed, '', {
      promptText: `${malformed.promptText}${malformed.rawText}\n<|im_start|>assistant\n`,
    });
    expect(judged(judgeFaultyCalls, [malformed, on])).toEqual(['laundered call_lost']);
    expect(judged(judgeFaultyCalls, [malformed], record('task_complete', 'completion'))).toEqual([
      'laundered call_lost',
    ]);
  });

  it('is judged by what is said in whatever role, and not where that cannot be told', () => {
    for (const role of ['user', 'tool', 'system']) {
      const verdict = (text: string) => judged(judgeFaultyCalls, [malformed, chatAfter(malformed, [role, text])]);
      expect(verdict('Observation: executed search {}')).toEqual(['laundered empty_arguments']);
      expect(verdict('<tool_response>\nexecuted search {"query": "test"}')).toEqual(['laundered repaired']);
      expect(verdict('1 validation error for search: query Field required')).toEqual(['laundered empty_arguments']);
      expect(verdict('Observation: invalid JSON')).toEqual(['faithful']);
      expect(verdict('the quotes are missing')).toEqual(['not_observable']);
      expect(verdict('Observation: the quotes are missing')).toEqual(['not_observable']);
    }
    expect(judged(judgeFaultyCalls, [malformed, chatAfter(malformed)])).toEqual(['laundered call_lost']);
  });

  it('is faithful where the record has it as malformed and nothing ran', () => {
    const listed = { callId: 'c', name: 'search', raw: '{query: test}', parsed: null, status: 'malformed' };
    const recorded = record('max_turns', 'budget', [recordedCall({ toolCalls: [listed] })]);
    expect(judged(judgeFaultyCalls, [malformed], recorded)).toEqual(['faithful']);
  });

  it('is not observable without a next prompt and without a record', () => {
    expect(judged(judgeFaultyCalls, [malformed])).toEqual(['not_observable']);
  });
});

describe('a call that a lenient parser would mend', () => {
  it('is laundered however it was mended', () => {
    const mended = 'executed search {"query": "test"}';
    for (const one of [renamed, quoted, single])
      expect(judged(judgeFaultyCalls, [one, following(one, mended)])).toEqual(['laundered repaired']);
    expect(judged(judgeFaultyCalls, [renamed, following(renamed, 'executed search {}')])).toEqual([
      'laundered empty_arguments',
    ]);
  });
});

it('a mended call is faithful where the record says that it was mended', () => {
  const listed = {
    callId: 'c',
    name: 'search',
    raw: "{'query': 'test'}",
    parsed: '{"query":"test"}',
    status: 'repaired',
  };
  const result = { callId: 'c', name: 'search', executed: null, status: 'ok', output: 'found' };
  const recorded = record('task_complete', 'completion', [recordedCall({ toolCalls: [listed], results: [result] })]);
  expect(judged(judgeFaultyCalls, [single], recorded)).toEqual(['faithful']);
});

describe('a call that was never closed', () => {
  it('is laundered where the rollout ends as complete, or where it was executed', () => {
    expect(judged(judgeFaultyCalls, [unclosed], record('task_complete', 'completion'))).toEqual([
      'laundered call_lost',
    ]);
    expect(judged(judgeFaultyCalls, [unclosed, following(unclosed, 'executed search {"query": "test"}')])).toEqual([
      'laundered repaired',
    ]);
    expect(judgeFaultyCalls(seen([unclosed]))[0]?.check).toBe('unclosed_call');
  });

  it('is faithful where the model was told, by whatever role', () => {
    const on = following(unclosed, '', {
      promptText: `${unclosed.promptText}${unclosed.rawText}\n<|im_start|>user\nyour tool call is invalid: it has no end`,
    });
    expect(judged(judgeFaultyCalls, [unclosed, on])).toEqual(['faithful']);
  });
});

it('what the parser of the engine had made of it is told', () => {
  const parsedCalls = [{ name: 'search', arguments: '{"query": "test"}' }];
  const chat = { ...unclosed, route: 'chat', parsedCalls } as const;
  const [judgement] = judgeFaultyCalls(seen([chat, following(chat, 'executed search {"query": "test"}')]));
  expect(judgement?.detail).toBe(
    'a call that was never closed was executed with {"query": "test"}; ' +
      `the engine's own parser had made of it search {"query": "test"}`,
  );
});

it('sound calls do not come up', () => {
  const sound = call({
    rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call><|im_end|>',
  });
  expect(judged(judgeFaultyCalls, [sound, following(sound, 'executed search {}')])).toEqual([]);
});

describe('in another form', () => {
  const qwen = (args: string) =>
    call({ rawText: `<tool_call>\n<function=search>\n${args}\n</function>\n</tool_call><|im_end|>` });
  const half = qwen('<parameter=query>\ntest\n</parameter>\n<parameter=limit>\n2');
  const dropped = call({
    rawText:
      '<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>test</arg_value>\n<arg_key>limit</arg_key>\n</tool_call>',
  });
  const kimi = (args: string, end = '<|tool_calls_section_end|>') => {
    const one = `<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
    return call({ rawText: `<|tool_calls_section_begin|>${one}${end}<|im_end|>` });
  };
  const RAN = 'executed search {"query": "test"}';

  it('an argument without its end is dropped, of a call that is closed', () => {
    for (const [one, form] of [[half, 'qwen_xml'] as const, [dropped, 'glm'] as const]) {
      const [judgement] = judgeFaultyCalls(seen([one, following(one, RAN)], null, form));
      expect(judgement).toMatchObject({ check: 'malformed_call', verdict: 'laundered', class: 'repaired' });
      const told = following(one, 'error: an argument is not closed');
      expect(judged(judgeFaultyCalls, [one, told], null, form)).toEqual(['faithful']);
    }
  });

  it('a list in the place of the arguments is no call of nothing', () => {
    const list = kimi('["test"]');
    const ran = following(list, 'executed search {}');
    expect(judged(judgeFaultyCalls, [list, ran], null, 'kimi')).toEqual(['laundered empty_arguments']);
  });

  it('a section that is never closed is an unclosed call', () => {
    const open = kimi('{"query": "test"}', '');
    const completed = record('task_complete', 'completion');
    expect(judged(judgeFaultyCalls, [open], completed, 'kimi')).toEqual(['laundered call_lost']);
    expect(judgeFaultyCalls(seen([open], null, 'kimi'))[0]?.check).toBe('unclosed_call');
  });

  it('what one form calls a call is none in another', () => {
    const hermes = call({ rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "test"}}\n</tool_call>' });
    for (const form of ['qwen_xml', 'glm'] as const)
      expect(judged(judgeFaultyCalls, [hermes, following(hermes, RAN)], null, form)).toEqual(['laundered repaired']);
    expect(judged(judgeFaultyCalls, [hermes, following(hermes, RAN)], null, 'kimi')).toEqual([]);
  });
});

it('a list, a key twice and NaN are faults of a call in Hermes', () => {
  const hermes = (args: string) =>
    call({ rawText: `<tool_call>\n{"name": "search", "arguments": ${args}}\n</tool_call><|im_end|>` });
  const verdict = (one: ReturnType<typeof call>, ran: string) =>
    judged(judgeFaultyCalls, [one, following(one, `executed search ${ran}`)]);
  expect(verdict(hermes('["test"]'), '{}')).toEqual(['laundered empty_arguments']);
  expect(verdict(hermes('{"query": "test", "query": "other"}'), '{"query": "other"}')).toEqual(['laundered repaired']);
  expect(verdict(hermes('{"query": "test", "limit": NaN}'), '{"query": "test"}')).toEqual(['laundered repaired']);
});
