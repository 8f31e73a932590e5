import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../../../processors/audit/tools/compare/canonical-text.ts';
import { parseCalls } from '../../../../../processors/audit/tools/parse/parse-calls.ts';
import { TERMINUS_JSON } from '../../../../../processors/audit/tools/parse/terminus-json.ts';

const parse = (text: string) => parseCalls(text, TERMINUS_JSON);
const faultOf = (text: string) => {
  const [call] = parse(text).calls;
  return call?.fault === null ? null : `${call?.fault?.kind} at ${call?.fault?.at}${call?.isOpen ? ', open' : ''}`;
};
const reply = (commands: string, rest = '') => `{"analysis": "a", "plan": "p", "commands": ${commands}${rest}}`;

describe('a reply that can be read', () => {
  it('calls a command for each, in order, and says that the task is done', () => {
    const text = reply('[{"keystrokes": "ls\\n", "duration": 0.1}, {"keystrokes": ""}]', ', "task_complete": true');
    const { calls } = parse(text);
    expect(calls.map(({ name, argumentsValue }) => [name, argumentsValue && canonicalText(argumentsValue)])).toEqual([
      ['bash_command', '{"duration":0.1,"keystrokes":"ls\\n"}'],
      ['bash_command', '{"keystrokes":""}'],
      ['mark_task_complete', '{}'],
    ]);
    expect(calls.every(({ fault }) => fault === null)).toBe(true);
  });

  it('has text around it, as the prompt of the loop tolerates: a code fence, a sentence', () => {
    expect(
      faultOf(`Here:\n\`\`\`json\n${reply('[{"keystrokes": "a"}]')}\n\`\`\`\nDone {nearly}.<|im_end|>`),
    ).toBeNull();
  });

  it('calls nothing, and that is well', () => {
    expect(parse(reply('[]', ', "task_complete": false')).calls).toEqual([]);
  });

  it('begins behind its thought', () => {
    expect(faultOf(`<think>{"commands": 1}</think>${reply('[{"keystrokes": "a"}]')}`)).toBeNull();
    expect(parse('<think>{"commands": []').thinkUnclosed).toBe(true);
  });
});

describe('a reply that cannot', () => {
  it.each([
    ['I am done.', 'not_json at 0'],
    ['', 'not_json at 0'],
    ['x {"commands": []}', 'missing_field at 2'],
    [reply('{"keystrokes": "a"}'), 'wrong_type at 43'],
    [reply('["ls"]'), 'wrong_type at 43'],
    [reply('[{"keys": "ls"}]'), 'wrong_type at 43'],
    [reply('[{"keystrokes": "ls", "duration": "1"}]'), 'wrong_type at 43'],
    [reply('[]', ', "task_complete": "true"'), 'wrong_type at 64'],
    [reply('[{"keystrokes": "ls"}]').slice(0, -1), 'unclosed_bracket at 65, open'],
    [reply('[{"keystrokes": "ls'), 'unclosed_string at 63, open'],
    ["{'analysis': 'a'}", 'single_quotes at 1'],
    ["use awk '{print $1}', then {}", 'unquoted_key at 10'],
    [`${reply('[]')} ${reply('[]')}`, 'extra_data at 47'],
    [reply('[]', ','), 'trailing_comma at 45'],
  ])('%j: %s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
    expect(parse(text).calls).toHaveLength(1);
  });
});
