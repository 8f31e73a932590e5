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
