import { expect, it } from 'vitest';
import { parseHermes, pythonJson } from '../../../../src/conform/engine/hermes.ts';

const call = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;
const sound = call('{"name": "search", "arguments": {"query": "ä", "n": 2}}');
const parsed = { name: 'search', arguments: '{"query": "ä", "n": 2}' };
const parse = (text: string, dialect: 'sglang' | 'vllm') => parseHermes(text, dialect, ['search']);

it('both find sound calls and what stands before them', () => {
  expect(parse(`So:\n${sound}\n${sound}`, 'vllm')).toEqual({ content: 'So:\n', calls: [parsed, parsed] });
  expect(parse(`So:\n${sound}\n${sound}`, 'sglang')).toEqual({ content: 'So:', calls: [parsed, parsed] });
  expect(parse('no call', 'vllm')).toEqual({ content: 'no call', calls: [] });
});

it('a call that is no JSON: vLLM gives the text back, SGLang what stands before it', () => {
  const text = `So:\n${sound}\n${call('{"name": "search", "arguments": {query: test}}')}`;
  expect(parse(text, 'vllm')).toEqual({ content: text, calls: [] });
  expect(parse(text, 'sglang')).toEqual({ content: 'So:', calls: [parsed] });
});

it('an unclosed call whose JSON is whole is one for vLLM and none for SGLang', () => {
  const text = sound.replace('\n</tool_call>', '');
  expect(parse(text, 'vllm').calls).toEqual([parsed]);
  expect(parse(text, 'sglang').calls).toEqual([]);
});

it('only SGLang reads `parameters`, and leaves out tools that were not offered', () => {
  const parameters = call('{"name": "search", "parameters": {"query": "a"}}');
  expect(parse(parameters, 'vllm')).toEqual({ content: parameters, calls: [] });
  expect(parse(parameters, 'sglang').calls).toEqual([{ name: 'search', arguments: '{"query": "a"}' }]);
  const other = call('{"name": "rm", "arguments": {}}');
  expect(parse(other, 'vllm').calls).toEqual([{ name: 'rm', arguments: '{}' }]);
  expect(parse(other, 'sglang').calls).toEqual([]);
});

it('writes JSON as Python does', () => {
  // json.dumps({"a": [1, "ü", None, True], "b": {}}, ensure_ascii=False)
  expect(pythonJson({ a: [1, 'ü', null, true], b: {} })).toBe('{"a": [1, "ü", null, true], "b": {}}');
});

it('both read what Python reads beyond JSON, and of two keys the last', () => {
  // json.dumps(json.loads('{"a": NaN, "b": -Infinity, "c": "NaN \"Infinity", "a2": 1, "a2": 2}'))
  const loose = call(
    '{"name": "search", "arguments": {"a": NaN, "b": -Infinity, "c": "NaN \\"Infinity", "a2": 1, "a2": 2}}',
  );
  const read = '{"a": NaN, "b": -Infinity, "c": "NaN \\"Infinity", "a2": 2}';
  for (const dialect of ['vllm', 'sglang'] as const)
    expect(parse(loose, dialect).calls).toEqual([{ name: 'search', arguments: read }]);
});
