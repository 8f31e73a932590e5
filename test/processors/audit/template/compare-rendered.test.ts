import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { compareRendered } from '../../../../processors/audit/template/compare-rendered.ts';
import { shippedRulesFor } from '../../../../processors/audit/template/shipped-rules.ts';
import { fixtureTokenizer, type Model } from './fixture-tokenizer.ts';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly unknown[];
}

const HI: readonly Message[] = [{ role: 'user', content: 'Hi there' }];

function rendered(model: Model, messages: readonly Message[], vars: Record<string, unknown> = {}): number[] {
  const { templateText, config, encode } = fixtureTokenizer(model);
  const text = new Template(templateText).render({ ...config, ...vars, messages, add_generation_prompt: true });
  return [...encode(text)];
}

function compared(model: Model, recorded: readonly number[], expected: readonly number[]) {
  const tokenizer = fixtureTokenizer(model);
  const rules = shippedRulesFor(tokenizer);
  if (rules === null) throw new Error('no rules');
  const [recordedIds, renderedIds] = [Uint32Array.from(recorded), Uint32Array.from(expected)];
  const { findings } = compareRendered({ recordedIds, renderedIds, turn: 2, rules, tokenizer });
  return findings.map((one) => [one.class, one.severity, one.turn, one.index]);
}

const without = (ids: readonly number[], at: number, count = 1): number[] => [
  ...ids.slice(0, at),
  ...ids.slice(at + count),
];
const withAt = (ids: readonly number[], at: number, ...more: number[]): number[] => [
  ...ids.slice(0, at),
  ...more,
  ...ids.slice(at),
];

describe('control tokens', () => {
  const llama = rendered('llama3_1', HI);
  const qwen = rendered('qwen3', [...HI, { role: 'assistant', content: 'Yes' }, ...HI]);
  const firstEnd = qwen.indexOf(151645);

  it('that are equal have no finding', () => {
    expect(compared('llama3_1', llama, llama)).toEqual([]);
    expect(compared('qwen3', qwen, qwen)).toEqual([]);
  });

  it('a BOS twice, none, and one in the middle (cases 33, 34, 35)', () => {
    expect(compared('llama3_1', [128000, ...llama], llama)).toEqual([['bos_duplicated', 'fail', 2, 1]]);
    expect(compared('llama3_1', llama.slice(1), llama)).toEqual([['bos_missing', 'fail', 2, 0]]);
    const end = llama.indexOf(128009) + 1;
    expect(compared('llama3_1', withAt(llama, end, 128000), llama)).toEqual([['bos_mid_sequence', 'fail', 2, end]]);
  });

  it('a separator that is missing (case 31), an end that is doubled (case 15) or missing', () => {
    expect(compared('qwen3', without(qwen, firstEnd + 1), qwen)).toEqual([
      ['separator_missing', 'fail', 2, firstEnd + 1],
    ]);
    const doubled = withAt(qwen, firstEnd, 151645);
    expect(compared('qwen3', doubled, qwen)).toEqual([['end_of_turn_doubled', 'fail', 2, firstEnd + 1]]);
    const unended = without(qwen, firstEnd);
    const opens = unended.indexOf(151644, 1);
    expect(compared('qwen3', unended, qwen)).toEqual([['end_of_turn_missing', 'fail', 2, opens]]);
  });

  it('a system turn that was inserted or is missing (case 37)', () => {
    const own = rendered('qwen2_5', HI);
    const bare = own.slice(own.indexOf(151645) + 2);
    expect(compared('qwen2_5', bare, own)).toEqual([['system_missing', 'fail', 2, 1]]);
    expect(compared('qwen3', own, rendered('qwen3', HI))).toEqual([['system_inserted', 'fail', 2, 1]]);
  });

  it('a generation prompt that is missing, or lacks its prefill (case 39)', () => {
    expect(compared('qwen3', qwen.slice(0, -3), qwen)).toEqual([['gen_prompt_missing', 'fail', 2, qwen.length - 3]]);
    const off = rendered('qwen3', HI, { enable_thinking: false });
    expect(off.slice(-4)).toEqual([151667, 271, 151668, 271]);
    expect(compared('qwen3', off.slice(0, -4), off)).toEqual([['gen_prompt_malformed', 'fail', 2, off.length - 4]]);
  });
});

describe('texts', () => {
  it('of another date were rendered on another day (case 38)', () => {
    const dated = (date: string): number[] =>
      rendered('llama3_1', [
        { role: 'system', content: `Cutting Knowledge Date: December 2023\nToday Date: ${date}` },
        ...HI,
      ]);
    const [[name, severity] = []] = compared('llama3_1', dated('27 Jul 2024'), dated('26 Jul 2024'));
    expect([name, severity]).toEqual(['template_vars', 'warn']);
  });

  it('another split of the same text is none of the template’s (case 7)', () => {
    const { encode } = fixtureTokenizer('qwen3');
    const own = rendered('qwen3', [{ role: 'user', content: 'say international' }]);
    const at = own.indexOf(6489);
    const split = [...own.slice(0, at), ...encode(' inter'), ...encode('national'), ...own.slice(at + 1)];
    expect(compared('qwen3', split, own)).toEqual([]);
  });

  it('arguments that are a text twice are a difference of the body (case 41)', () => {
    const asked = (args: unknown): number[] => {
      const call = { type: 'function', function: { name: 'f', arguments: args } };
      return rendered('qwen2_5', [...HI, { role: 'assistant', content: '', tool_calls: [call] }]);
    };
    const [[name, severity] = []] = compared('qwen2_5', asked('{"a": 1}'), asked({ a: 1 }));
    expect([name, severity]).toEqual(['render_drift', 'warn']);
  });

  it('a call that the stored message lost (case 43), and quotes of HTML (case 42)', () => {
    const { encode } = fixtureTokenizer('qwen3');
    const call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
    const prompt = (said: string): number[] => [
      ...encode(`<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n${said}<|im_end|>\n<|im_start|>assistant\n`),
    ];
    expect(compared('qwen3', prompt(call), prompt(''))[0]?.slice(0, 2)).toEqual(['tool_call_lost_in_history', 'warn']);
    expect(compared('qwen3', prompt('{&#34;a&#34;: 1}'), prompt('{"a": 1}'))[0]?.slice(0, 2)).toEqual([
      'html_escape',
      'warn',
    ]);
    expect(compared('qwen3', prompt('I am'), prompt('<think>\nhm\n</think>\n\nI am'))[0]?.slice(0, 2)).toEqual([
      ...['think_stripped', 'warn'],
    ]);
  });
});
