import { describe, expect, it } from 'vitest';
import { judgeArguments, judgeDuplicates } from '../../../../../src/conform/report/judges/sound-calls.ts';
import { call, chatAfter, following, judged, record, recordedCall } from '../hand-made.ts';

const CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "x", "n": 1.0}}\n</tool_call>';
const once = call({ rawText: `${CALL}<|im_end|>` });
const twice = call({ rawText: `${CALL}\n${CALL}<|im_end|>` });
const RAN = '<tool_response>\nexecuted search {"n": 1, "query": "x"}\n</tool_response>';

describe('a sound call', () => {
  it('is faithful where it ran as it was written, in whatever order of keys', () => {
    expect(judged(judgeArguments, [once, following(once, 'executed search {"n": 1.0, "query": "x"}')])).toEqual([
      'faithful',
    ]);
  });

  it('is laundered where it ran with other arguments', () => {
    expect(judged(judgeArguments, [once, following(once, 'executed search {"n": 2, "query": "x"}')])).toEqual([
      'laundered arguments_changed',
    ]);
  });

  it('is laundered where nothing is said after it, and not observable where something is', () => {
    const asked = (said: string) =>
      following(once, '', { promptText: `${once.promptText}${once.rawText}\n${said}<|im_start|>assistant\n` });
    expect(judged(judgeArguments, [once, asked('')])).toEqual(['laundered call_lost']);
    expect(judged(judgeArguments, [once, asked('<|im_start|>user\nthere are 12<|im_end|>\n')])).toEqual([
      'not_observable',
    ]);
    expect(judged(judgeArguments, [once, chatAfter(once)])).toEqual(['laundered call_lost']);
    expect(judged(judgeArguments, [once, chatAfter(once, ['user', 'there are 12'])])).toEqual(['not_observable']);
  });

  it('is judged by the result that a loop of its own tells in whatever role', () => {
    for (const role of ['user', 'tool', 'system'])
      for (const around of ['Observation: ', '<tool_response>\n', '']) {
        const as = (args: string) => chatAfter(once, [role, `${around}executed search ${args}`]);
        expect(judged(judgeArguments, [once, as('{"query": "x", "n": 1}')])).toEqual(['faithful']);
        expect(judged(judgeArguments, [once, as('{"query": "y"}')])).toEqual(['laundered arguments_changed']);
        expect(judged(judgeArguments, [once, as("{'query': 'x'}")])).toEqual(['not_observable']);
      }
  });

  it('is not observable where a result does not say what ran', () => {
    expect(judged(judgeArguments, [once, following(once, 'there are 12')])).toEqual(['not_observable']);
  });

  it('is seen in a record too', () => {
    const result = { callId: 'c', name: 'search', executed: null, status: 'ok', output: 'there are 12' };
    const listed = { callId: 'c', name: 'search', raw: null, parsed: '{"query":"x","n":1}', status: 'ok' };
    const recorded = record('task_complete', 'completion', [recordedCall({ toolCalls: [listed], results: [result] })]);
    expect(judged(judgeArguments, [once], recorded)).toEqual(['faithful']);
  });
});

describe('a sound call that a loose parser reads otherwise', () => {
  const thought = call({
    rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "a <think>b</think>"}}\n</tool_call><|im_end|>',
  });
  const qwen = (value: string) =>
    call({
      rawText: `<tool_call>\n<function=search>\n<parameter=query>\n${value}\n</parameter>\n</function>\n</tool_call>`,
    });
  const glm = call({
    rawText: '<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>2024</arg_value>\n</tool_call>',
  });

  it('keeps the tags of a thought within its argument', () => {
    const asRun = (query: string) => following(thought, `executed search {"query": "${query}"}`);
    expect(judged(judgeArguments, [thought, asRun('a <think>b</think>')])).toEqual(['faithful']);
    expect(judged(judgeArguments, [thought, asRun('a ')])).toEqual(['laundered arguments_changed']);
  });

  it('gives text where the tool takes text, though the form writes no types', () => {
    const verdict = (one: ReturnType<typeof call>, form: 'qwen_xml' | 'glm', args: string) =>
      judged(judgeArguments, [one, following(one, `executed search ${args}`)], null, form);
    for (const [one, form] of [[qwen('2024'), 'qwen_xml'] as const, [glm, 'glm'] as const]) {
      expect(verdict(one, form, '{"query": "2024"}')).toEqual(['faithful']);
      expect(verdict(one, form, '{"query": 2024}')).toEqual(['laundered arguments_changed']);
    }
    expect(verdict(qwen('01'), 'qwen_xml', '{"query": "01"}')).toEqual(['faithful']);
    expect(verdict(qwen('01'), 'qwen_xml', '{"query": "1"}')).toEqual(['laundered arguments_changed']);
  });

  it('is laundered where a check finds another type than text, and not where a tool fails', () => {
    const told = (said: string) => judged(judgeArguments, [glm, following(glm, said)], null, 'glm');
    expect(told('Error: Input should be a valid string [type=string_type, input_value=2024, input_type=int]')).toEqual([
      'laundered arguments_changed',
    ]);
    expect(told('Error: the search timed out')).toEqual(['not_observable']);
  });
});

describe('the same call twice in one answer', () => {
  const ran = (times: number) =>
    following(twice, '', {
      promptText: `${twice.promptText}${twice.rawText}${RAN.repeat(times)}\n<|im_start|>assistant\n`,
    });

  it('is faithful where both ran, each with its own result', () => {
    expect(judged(judgeDuplicates, [twice, ran(2)])).toEqual(['faithful']);
  });

  it('is laundered where one of the two is gone, or where one ran more often', () => {
    expect(judged(judgeDuplicates, [twice, ran(1)])).toEqual(['laundered call_lost']);
    expect(judged(judgeDuplicates, [twice, ran(0)])).toEqual(['laundered call_lost']);
    expect(judged(judgeDuplicates, [twice, ran(3)])).toEqual(['laundered executed_again']);
    expect(judged(judgeDuplicates, [twice])).toEqual(['not_observable']);
  });

  it('is counted in whatever role the results are told', () => {
    const told = 'Observation: executed search {"n": 1, "query": "x"}';
    expect(judged(judgeDuplicates, [twice, chatAfter(twice, ['user', told], ['user', told])])).toEqual(['faithful']);
    expect(judged(judgeDuplicates, [twice, chatAfter(twice, ['user', `${told}\n${told}`])])).toEqual(['faithful']);
    expect(judged(judgeDuplicates, [twice, chatAfter(twice, ['user', told])])).toEqual(['laundered call_lost']);
    expect(judged(judgeDuplicates, [twice, chatAfter(twice, ['user', told], ['user', 'there are 12'])])).toEqual([
      'not_observable',
    ]);
    expect(judged(judgeDuplicates, [twice, chatAfter(twice, ['user', '12 and 12'])])).toEqual(['not_observable']);
  });

  it('does not come up for calls that differ', () => {
    expect(judged(judgeDuplicates, [once, following(once, 'executed search {}')])).toEqual([]);
  });
});
