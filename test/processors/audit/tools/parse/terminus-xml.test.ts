import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../../../processors/audit/tools/compare/canonical-text.ts';
import { parseCalls } from '../../../../../processors/audit/tools/parse/parse-calls.ts';
import { TERMINUS_XML } from '../../../../../processors/audit/tools/parse/terminus-xml.ts';

const parse = (text: string) => parseCalls(text, TERMINUS_XML);
const faultOf = (text: string) => {
  const [call] = parse(text).calls;
  return call?.fault === null ? null : `${call?.fault?.kind} at ${call?.fault?.at}${call?.isOpen ? ', open' : ''}`;
};
const response = (inner: string) => `<response><analysis>a</analysis><plan>p</plan>${inner}</response>`;

describe('a response that can be read', () => {
  it('calls its keystrokes verbatim, with their durations', () => {
    const text = response(
      '<commands>\n<keystrokes duration="0.5">echo "&lt;"\n</keystrokes>\n<keystrokes>C-c</keystrokes></commands><task_complete>true</task_complete>',
    );
    expect(
      parse(`Well: ${text} bye`).calls.map(({ name, argumentsValue }) => [
        name,
        argumentsValue && canonicalText(argumentsValue),
      ]),
    ).toEqual([
      ['bash_command', '{"duration":0.5,"keystrokes":"echo \\"&lt;\\"\\n"}'],
      ['bash_command', '{"keystrokes":"C-c"}'],
      ['mark_task_complete', '{}'],
    ]);
  });

  it('needs no commands where the task is done, and may have none', () => {
    expect(parse(response('<task_complete>true</task_complete>')).calls.map(({ name }) => name)).toEqual([
      'mark_task_complete',
    ]);
    expect(parse(response('<commands></commands>')).calls).toEqual([]);
  });
});

describe('a response that cannot', () => {
  it.each([
    ['no tags', 'missing_field at 0'],
    [response(''), 'missing_field at 10'],
    [response('<commands>ls</commands>'), 'trailing_text at 56'],
    [response('<commands><keystrokes>ls</commands>'), 'unclosed_tag at 56'],
    [response('<commands><keystrokes duration="soon">ls</keystrokes></commands>'), 'bad_number at 56'],
    [response('<commands></commands>').slice(0, -11), 'unclosed_tag at 67, open'],
    [`${response('<commands></commands>')}<response>`, 'extra_data at 78'],
  ])('%j: %s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
    expect(parse(text).calls).toHaveLength(1);
  });
});
