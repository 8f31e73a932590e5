import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../../../processors/audit/tools/compare/canonical-text.ts';
import {
  parseGlm,
  parseHermes,
  parseKimi,
  parseQwenXml,
} from '../../../../../processors/audit/tools/parse/parse-calls.ts';
import type { StrictCall, StrictParse } from '../../../../../processors/audit/tools/parse/strict-call.ts';

const shown = ({ name, argumentsValue, fault }: StrictCall) => [
  name,
  argumentsValue === null ? null : canonicalText(argumentsValue),
  fault?.kind ?? null,
];
const all = ({ calls }: StrictParse) => calls.map(shown);

describe('Hermes', () => {
  it('a call drafted in a thought is no call (case 47)', () => {
    const text =
      '<think>\nlet me call A <tool_call>{"name":"A","arguments":{}}</tool_call>\n</think>\n<tool_call>{"name":"A","arguments":{}}</tool_call>';
    const parse = parseHermes(text);
    expect(all(parse)).toEqual([['A', '{}', null]]);
    expect(parse.calls[0]?.charStart).toBe(text.lastIndexOf('<tool_call>'));
    expect(parse.thinkCalls.map(shown)).toEqual([['A', '{}', null]]);
  });

  it('where the prompt opened the thought, all before the first </think> is thought (case 49)', () => {
    const text = 'draft <tool_call>{"name":"A","arguments":{}}</tool_call></think>ok';
    for (const opens of [true, null]) {
      expect(parseHermes(text, opens).calls).toEqual([]);
      expect(parseHermes(text, opens).thinkCalls).toHaveLength(1);
    }
    const broken = 'draft <tool_call>{"name": </think> <tool_call>{"name":"A","arguments":{}}</tool_call>';
    expect(all(parseHermes(broken))).toEqual([['A', '{}', null]]);
    expect(parseHermes(broken).thinkCalls).toHaveLength(1);
  });

  it('a call before a </think> that only closes an outer thought is no call', () => {
    const text = '<think>a<think>b</think><tool_call>{"name":"A","arguments":{}}</tool_call></think>';
    expect(parseHermes(text).calls).toEqual([]);
    expect(parseHermes(text).thinkCalls).toHaveLength(1);
  });

  it('think tags within an argument are content (case 50)', () => {
    const text = '<tool_call>{"name":"write","arguments":{"text":"use <think> here </think>"}}</tool_call>';
    expect(all(parseHermes(text))).toEqual([['write', '{"text":"use <think> here </think>"}', null]]);
    expect(parseHermes(text).thinkUnclosed).toBe(false);
  });

  it('a closing tag within an argument is content', () => {
    const text = '<tool_call>{"name":"write","arguments":{"text":"</tool_call><tool_call>"}}</tool_call>';
    expect(all(parseHermes(text))).toEqual([['write', '{"text":"</tool_call><tool_call>"}', null]]);
  });

  it('an unclosed thought has no calls, and says so (case 51)', () => {
    const parse = parseHermes('<think>\nplan… <tool_call>{"name":"A","arguments":{}}</tool_call>');
    expect(parse).toMatchObject({ calls: [], thinkUnclosed: true });
    expect(parse.thinkCalls).toHaveLength(1);
  });

  it.each([
    ['<tool_call>\n{"name":"a","arguments":{}}\n{"name":"b","arguments":{}}\n</tool_call>', 'a', 'extra_data', 53],
    ['<tool_call>{"name":"run","arguments":{"command":"ls",}}</tool_call>', 'run', 'trailing_comma', 54],
    ['<tool_call>{"name":"run","arguments":{"command":"mkdir -p test/{a,b"', 'run', 'unclosed_bracket', 55],
    ['<tool_call>{"name":"a","arguments":{"x":1}}', 'a', 'unclosed_tag', 57],
    ['<tool_call>{"name":"a","arguments":{"x":1}}<|im_end|>', 'a', 'unclosed_tag', 57],
    ['<tool_call>{"name":"w","arguments":{"path": "/tmp/x", "content": "abc</tool_call>', 'w', 'unclosed_string', 58],
    [String.raw`<tool_call>{"name":"r","arguments":{"command":"printf \'hello\'"}}</tool_call>`, 'r', 'bad_escape', 59],
    ['<tool_call>{{tool:"X",arguments:{id:"Y"}}}</tool_call>', null, 'unquoted_key', 61],
    ['<tool_call>{"name":"a","arguments":{"a":1}}<|call|></tool_call>', 'a', 'trailing_text', 62],
    [`<tool_call>{'name': 'a', 'arguments': {}}</tool_call>`, null, 'single_quotes', 62],
    ['<tool_call>{"name":"a","arguments":{"c":"第一行\n第二行"}}</tool_call>', 'a', 'control_char', 63],
    ['<tool_call>{"name":"a","arguments":"{\\"e\\":1}"}</tool_call>', 'a', 'wrong_type', 0],
    ['<tool_call>{"name":"a","arguments":[1]}</tool_call>', 'a', 'wrong_type', 0],
    ['<tool_call>{"name":"a","parameters":{"e":1}}</tool_call>', 'a', 'missing_arguments', 0],
    ['<tool_call>{"arguments":{}}</tool_call>', null, 'missing_name', 0],
    ['<tool_call></tool_call>', null, 'missing_name', 0],
    ['<tool_call>[{"name":"a","arguments":{}}]</tool_call>', null, 'wrong_type', 0],
  ])('%s, a call of %s, is malformed: %s (case %i of the known ones, 0: none)', (text, name, kind, _case) => {
    expect(all(parseHermes(text))).toEqual([[name, null, kind]]);
  });

  it('a call whose closing tag is missing ends before the next one, which is read', () => {
    const text = '<tool_call>\n{"name":"a","arguments":{}}\n<tool_call>\n{"name":"b","arguments":{}}\n</tool_call>';
    expect(all(parseHermes(text))).toEqual([
      ['a', null, 'unclosed_tag'],
      ['b', '{}', null],
    ]);
  });

  it('a large number stays as it was written', () => {
    const [call] = parseHermes('<tool_call>{"name":"a","arguments":{"n":9007199254740993}}</tool_call>').calls;
    expect(call && shown(call)).toEqual(['a', '{"n":9007199254740993}', null]);
    expect(call?.argumentsText).toBe('{"n":9007199254740993}');
  });
});

describe('Qwen XML', () => {
  it('a line break that belongs to the value stays (case 23)', () => {
    const text =
      '<function=write><parameter=path>/tmp/x</parameter><parameter=content>DIRECT_OK\n</parameter></function>';
    expect(all(parseQwenXml(text))).toEqual([['write', '{"content":"DIRECT_OK\\n","path":"/tmp/x"}', null]]);
  });

  it('the line breaks beside its tags are not part of a value', () => {
    const text =
      '<think>\nx\n</think>\n<tool_call>\n<function=f>\n<parameter=a>\n1\n\n</parameter>\n<parameter=b>\n{"c": [1]}\n</parameter>\n</function>\n</tool_call><|im_end|>';
    expect(all(parseQwenXml(text))).toEqual([['f', '{"a":"1\\n","b":"{\\"c\\": [1]}"}', null]]);
  });

  it.each([
    ['<tool_call><function=f><parameter=a>1</parameter><parameter=b>2</function></tool_call>', 'unclosed_tag'],
    ['<tool_call><function=f><parameter=a>1</parameter></tool_call>', 'unclosed_tag'],
    ['<tool_call><function=f></function>', 'unclosed_tag'],
    ['<tool_call><function=f></function><function=g></function></tool_call>', 'extra_data'],
    ['<tool_call><function=f>text</function></tool_call>', 'trailing_text'],
    [
      '<tool_call><function=f><parameter=a>1</parameter><parameter=a>2</parameter></function></tool_call>',
      'duplicate_key',
    ],
    ['<tool_call><function=></function></tool_call>', 'missing_name'],
    ['<tool_call>{"name":"f"}</tool_call>', 'missing_name'],
  ])('%s is malformed', (text, kind) => {
    expect(parseQwenXml(text).calls.map(({ fault }) => fault?.kind)).toEqual([kind]);
  });
});

describe('GLM', () => {
  it.each([
    '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>b</arg_key>\n<arg_value>x y</arg_value>\n</tool_call>',
    '<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value><arg_key>b</arg_key><arg_value>x y</arg_value></tool_call><|user|>',
  ])('%s is a call', (text) => {
    expect(all(parseGlm(text))).toEqual([['f', '{"a":"1","b":"x y"}', null]]);
  });

  it.each([
    ['<tool_call>f\n<arg_key>a</arg_key>\n</tool_call>', 'missing_value'],
    ['<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1\n</tool_call>', 'unclosed_tag'],
    ['<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>', 'unclosed_tag'],
    ['<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value> so\n</tool_call>', 'trailing_text'],
    ['<tool_call>\n<arg_key>a</arg_key>\n<arg_value>1</arg_value></tool_call>', 'missing_name'],
  ])('%s is malformed', (text, kind) => {
    expect(parseGlm(text).calls.map(({ fault }) => fault?.kind)).toEqual([kind]);
  });
});

describe('Kimi', () => {
  const call = (id: string, json: string) =>
    `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;
  const section = (...calls: string[]) =>
    `ok<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|><|im_end|>`;

  it('calls stand in the order of the text, not of their ids', () => {
    const text = section(call('functions.search:10', '{"q": "a"}'), call('functions.search:2', '{"q": "b"}'));
    expect(all(parseKimi(text))).toEqual([
      ['search', '{"q":"a"}', null],
      ['search', '{"q":"b"}', null],
    ]);
  });

  it.each([
    [section(call('functions.f:0', '[1]')), 'wrong_type'],
    [section(call('f', '{}')), 'bad_id'],
    [section('<|tool_call_begin|>functions.f:0<|tool_call_end|>'), 'missing_arguments'],
    [`<|tool_calls_section_begin|>${call('functions.f:0', '{}')}`, 'unclosed_tag'],
    [section('<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":1'), 'unclosed_bracket'],
    ['<|tool_calls_section_begin|><|tool_calls_section_end|>', undefined],
  ])('%s is malformed', (text, kind) => {
    expect(parseKimi(text).calls.map(({ fault }) => fault?.kind)).toEqual(kind === undefined ? [] : [kind]);
  });
});

it('a call written by JSON.stringify of any arguments is read back in each dialect of JSON', () => {
  const anyArguments = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
  fc.assert(
    fc.property(anyArguments, (value) => {
      const json = JSON.stringify(value);
      const texts = [
        parseHermes(`<think>\nx\n</think>\n<tool_call>\n{"name": "f", "arguments": ${json}}\n</tool_call><|im_end|>`),
        parseKimi(
          `<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`,
        ),
      ];
      for (const { calls } of texts) {
        expect(calls).toHaveLength(1);
        expect(JSON.parse(canonicalText(calls[0]?.argumentsValue ?? null))).toEqual(JSON.parse(json));
      }
    }),
  );
});

describe('hostile text', () => {
  const parsers = [parseHermes, parseQwenXml, parseGlm, parseKimi];

  it.each([
    ['10 MB of one bracket', '<'.repeat(10_000_000)],
    ['5 MB of openers', '<tool_call>'.repeat(450_000)],
    ['5 MB of half calls', '<tool_call>{"name":"a","arguments":{"b":"'.repeat(120_000)],
    ['5 MB of strings with openers in them', `<tool_call>["${'<tool_call>","'.repeat(350_000)}`],
    ['5 MB of keys without values', `<tool_call>f${'<arg_key>a</arg_key><arg_value>'.repeat(160_000)}`],
    ['5 MB of parameters', `<tool_call><function=f>${'<parameter=a>'.repeat(380_000)}`],
    ['5 MB of sections', '<|tool_calls_section_begin|><|tool_call_begin|>'.repeat(100_000)],
    ['5 MB of thoughts', '<think><think></think>'.repeat(220_000)],
    ['a call nested 10,000 deep', `<tool_call>{"name":"a","arguments":${'{"a":'.repeat(10_000)}`],
    ['5 MB of text', `${'words and words '.repeat(300_000)}<tool_call>{"name":"a","arguments":{}}</tool_call>`],
  ])('%s is read in linear time, without recursion', (_what, text) => {
    for (const parse of parsers) expect(parse(text).thinkCalls.length).toBeLessThanOrEqual(20_000);
  });

  it('more calls than anybody writes are not read to the end, and it says so', () => {
    const parse = parseHermes('<tool_call>{"name":"a","arguments":{}}</tool_call>'.repeat(20_000));
    expect(parse).toMatchObject({ isWhole: false });
    expect(parse.calls).toHaveLength(10_001);
  });
});
