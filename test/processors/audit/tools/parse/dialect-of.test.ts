import { expect, it } from 'vitest';
import { dialectOfParser, dialectOfText } from '../../../../../processors/audit/tools/parse/dialect-of.ts';

it.each([
  ['<tool_call>\n{"name":"a","arguments":{}}\n</tool_call>', 'hermes'],
  ['write <tool_call> first. <tool_call>\n<function=f>\n</function>\n</tool_call>', 'qwen_xml'],
  ['<function=f><parameter=a>1</parameter></function>', 'qwen_xml'],
  ['call it as <function=f>, I mean', undefined],
  ['<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>', 'glm'],
  ['<tool_call>f\n</tool_call>', 'glm'],
  ['<|tool_calls_section_begin|><|tool_calls_section_end|>', 'kimi'],
  ['Hello.', undefined],
])('%s is written in %s', (text, name) => {
  expect(dialectOfText(text)?.name).toBe(name);
});

it.each([
  ['hermes', 'hermes'],
  ['qwen25', 'hermes'],
  ['qwen3_coder', 'qwen_xml'],
  ['glm45', 'glm'],
  ['kimi_k2', 'kimi'],
  ['llama3_json', undefined],
])('the parser %s reads %s', (parser, name) => {
  expect(dialectOfParser(parser)?.name).toBe(name);
});
