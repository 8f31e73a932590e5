import { afterAll, describe, expect, it } from 'vitest';
import { shippedRulesFor } from '../../../processors/audit/template/shipped-rules.ts';
import type { DeepInput, DeepRange } from '../../../processors/model/deep-input.ts';
import type { AttemptMessages, Told } from '../../../src/audit/attempt-messages.ts';
import { createRerender } from '../../../src/audit/create-rerender.ts';
import { fixtureTokenizer } from '../../processors/audit/template/fixture-tokenizer.ts';

const qwen = fixtureTokenizer('qwen3');
const rerender = createRerender(qwen, shippedRulesFor(qwen));
afterAll(rerender.close);

const SHA256 = 'a'.repeat(64);
const message = (role: string, content: unknown): Told => ({
  ...{ kind: 'message', role, partsJson: JSON.stringify(content), extraJson: null },
});
const ask = [message('system', 'Be brief.'), message('user', 'What is 2 + 2?')];
const PROMPT =
  '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhat is 2 + 2?<|im_end|>\n<|im_start|>assistant\n';

/** Prompt, completion, prompt, completion …: texts of one segment, as ids. */
function inputOf(texts: readonly string[], varsJson: string | null = '{}'): DeepInput {
  const ids: number[] = [];
  const ranges: DeepRange[] = [];
  for (let turn = 0; turn * 2 < texts.length; turn++) {
    const promptStart = ids.length;
    ids.push(...qwen.encode(texts[2 * turn] ?? ''));
    const sampledStart = ids.length;
    ids.push(...qwen.encode(texts[2 * turn + 1] ?? ''));
    ranges.push({ turn, promptStart, sampledStart, end: ids.length, copied: false });
  }
  return {
    ...{ rolloutId: 'x', tokenizerSha256: null, templateSha256: SHA256, templateVarsJson: varsJson, executed: [] },
    segments: [{ id: 'main', parentId: null, forkAt: null, tokenIds: Uint32Array.from(ids), ranges }],
    turns: ranges.map(({ turn }) => ({ turn, finishReason: 'stop', rawText: null })),
  };
}

/** What was told before each call. */
function toldOf(before: ReadonlyArray<readonly Told[]>, more: Partial<AttemptMessages> = {}): AttemptMessages {
  return { task: null, toolsJson: '[]', isTooMuch: false, before: (turn) => before[turn], ...more };
}

const whyNot = ({ count }: { count: { missing: object } }): string => Object.keys(count.missing).join();

describe('a prompt that is known whole', () => {
  it('and is what the template renders is equal', async () => {
    const { count, found } = await rerender.of(inputOf([PROMPT, '4<|im_end|>']), toldOf([ask]));
    expect({ count, found }).toEqual({ count: { prompts: 1, rendered: 1, equal: 1, missing: {} }, found: [] });
  });

  it('without its system turn fails, at the turn', async () => {
    const bare = PROMPT.slice(PROMPT.indexOf('<|im_start|>user'));
    const { count, found } = await rerender.of(inputOf([bare, '4<|im_end|>']), toldOf([ask]));
    expect(count).toMatchObject({ rendered: 1, equal: 0 });
    expect(found).toMatchObject([{ class: 'system_missing', severity: 'fail', turn: 0 }]);
  });

  it('with another text warns, and shows both', async () => {
    const other = PROMPT.replace('2 + 2', '2 + 3');
    const { found } = await rerender.of(inputOf([other, '5<|im_end|>']), toldOf([ask]));
    expect(found).toMatchObject([{ class: 'render_drift', severity: 'warn', turn: 0 }]);
    expect(found[0]?.evidence?.text).toContain('2 + 3');
    expect(found[0]?.evidence?.expectedText).toContain('2 + 2');
  });

  it('is rendered with the variables that were recorded', async () => {
    const off = `${PROMPT}<think>\n\n</think>\n\n`;
    const known = await rerender.of(inputOf([off, '4<|im_end|>'], '{"enable_thinking":false}'), toldOf([ask]));
    expect(known.count).toMatchObject({ rendered: 1, equal: 1 });
    const other = await rerender.of(inputOf([off, '4<|im_end|>'], '{"enable_thinking":true}'), toldOf([ask]));
    expect(other.found).toMatchObject([{ class: 'gen_prompt_malformed', severity: 'fail' }]);
  });
});

describe('what the record does not say is no fault of a prompt that differs', () => {
  const off = inputOf([`${PROMPT}<think>\n\n</think>\n\n`, '4<|im_end|>'], null);

  it('its template variables', async () => {
    const one = await rerender.of(off, toldOf([ask]));
    expect(one).toMatchObject({ count: { prompts: 1, rendered: 0, equal: 0 }, found: [] });
    expect(whyNot(one)).toContain('its template variables');
  });

  it('its tools, or the form that they were rendered in', async () => {
    const bare = inputOf([PROMPT.replace('Be', 'Be very'), '4<|im_end|>']);
    expect(whyNot(await rerender.of(bare, toldOf([ask], { toolsJson: null })))).toContain('its tools');
    const tools = JSON.stringify([{ name: 'add', parameters: {} }]);
    expect(whyNot(await rerender.of(bare, toldOf([ask], { toolsJson: tools })))).toContain('the form');
  });

  it('a system turn, where all that is told is the task', async () => {
    const task = toldOf([[]], { task: Buffer.from('What is 2 + 2?') });
    const one = await rerender.of(inputOf([PROMPT, '4<|im_end|>']), task);
    expect(one).toMatchObject({ count: { rendered: 0 }, found: [] });
    expect(whyNot(one)).toContain('its messages, but for the task');
  });

  it('thoughts of earlier turns, which this template strips and a loop may keep (case 26)', async () => {
    const said = '<think>\nEasy.\n</think>\n\n4<|im_end|>';
    const next = '\n<|im_start|>user\nAnd 3 + 3?<|im_end|>\n<|im_start|>assistant\n';
    const before = [ask, [...ask, { kind: 'call', turn: 0 } as const, message('user', 'And 3 + 3?')]];
    const one = await rerender.of(inputOf([PROMPT, said, next, '6<|im_end|>']), toldOf(before));
    expect(one).toMatchObject({ count: { prompts: 2, rendered: 1, equal: 1 }, found: [] });
    expect(whyNot(one)).toContain('earlier turns');
  });

  it('messages that are no text, are too much, or were not told at all', async () => {
    const input = inputOf([PROMPT, '4<|im_end|>']);
    const image = [message('user', [{ type: 'image_url', image_url: 'x' }])];
    expect(whyNot(await rerender.of(input, toldOf([image])))).toBe('a message that is text');
    expect(whyNot(await rerender.of(input, toldOf([[message('narrator', 'x')]])))).toContain('role');
    expect(whyNot(await rerender.of(input, toldOf([], { isTooMuch: true })))).toContain('8 MB');
    expect(whyNot(await rerender.of(input, undefined))).toBe('its messages');
  });
});

it('a tool loop is rendered again with what was sampled, and with tools in their envelope', async () => {
  const call = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 2}}\n</tool_call>';
  const opening = `<|im_start|>system
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "add", "parameters": {}}}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
<|im_start|>user
What is 2 + 2?<|im_end|>
<|im_start|>assistant
`;
  const answered = '\n<|im_start|>user\n<tool_response>\n4\n</tool_response><|im_end|>\n<|im_start|>assistant\n';
  const input = inputOf([opening, `<think>\nAdd.\n</think>\n\n${call}<|im_end|>`, answered, '4<|im_end|>']);
  const user = [message('user', [{ type: 'text', text: 'What is 2 + 2?' }])];
  const result: Told = { kind: 'result', name: 'add', output: Buffer.from('4') };
  const toolsJson = JSON.stringify([{ type: 'function', name: 'add', parameters: {} }]);
  const told = toldOf([user, [...user, { kind: 'call', turn: 0 }, result]], { toolsJson });
  expect(await rerender.of(input, told)).toEqual({
    count: { prompts: 2, rendered: 2, equal: 2, missing: {} },
    found: [],
  });
});

describe('a template that writes today (case 38)', () => {
  const dated = createRerender(
    {
      ...qwen,
      templateText: `<|im_start|>system\nToday is {{ date_string if date_string is defined else strftime_now("%d %b %Y") }}<|im_end|>\n{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant{{ '\\n' }}`,
    },
    shippedRulesFor(qwen),
  );
  afterAll(dated.close);
  const user = [message('user', 'Hi')];
  const prompt =
    '<|im_start|>system\nToday is 26 Jul 2024<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n';

  it('is rendered again with the date that was recorded', async () => {
    const known = await dated.of(inputOf([prompt, 'Yo<|im_end|>'], '{"date_string":"26 Jul 2024"}'), toldOf([user]));
    expect(known.count).toMatchObject({ rendered: 1, equal: 1 });
    const other = await dated.of(inputOf([prompt, 'Yo<|im_end|>'], '{"date_string":"27 Jul 2024"}'), toldOf([user]));
    expect(other.found).toMatchObject([{ class: 'template_vars', severity: 'warn', turn: 0 }]);
  });

  it('is not rendered again without one', async () => {
    const one = await dated.of(inputOf([prompt, 'Yo<|im_end|>']), toldOf([user]));
    expect(one).toMatchObject({ count: { rendered: 0 }, found: [] });
    expect(whyNot(one)).toContain('the date that the prompt was rendered on');
  });
});

it('a template that does not end is not tried again', async () => {
  const endless = createRerender(
    { ...qwen, templateText: '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}' },
    shippedRulesFor(qwen),
  );
  const input = inputOf([PROMPT, '4<|im_end|>', '\n<|im_start|>user\nSo?<|im_end|>\n', '4<|im_end|>']);
  const one = await endless.of(input, toldOf([ask, ask]));
  expect(one).toMatchObject({ count: { prompts: 2, rendered: 0 }, found: [] });
  expect(Object.values(one.count.missing)).toEqual([2]);
  await endless.close();
});
