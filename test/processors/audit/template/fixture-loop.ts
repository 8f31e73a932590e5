import { Template } from '@huggingface/jinja';
import type { FixtureCall } from './fixture-input.ts';
import type { FixtureTokenizer } from './fixture-tokenizer.ts';

export interface LoopMessage {
  readonly role: 'system' | 'user' | 'tool';
  readonly content: string;
}

/** One step of a loop: what the environment says, then what the policy answers. */
export interface LoopStep {
  readonly messages: readonly LoopMessage[];
  /** As sampled, without its end. */
  readonly completion: string;
}

const LAST = 'widdershins';

/** What a token-in-token-out loop sends: the ids of new messages alone after the ids that are held, and what was sampled as it was. */
export function callsOf(
  tokenizer: FixtureTokenizer,
  endText: string,
  steps: readonly LoopStep[],
  options: { readonly tools?: readonly unknown[]; readonly enable_thinking?: boolean } = {},
): FixtureCall[] {
  const template = new Template(tokenizer.templateText);
  const render = (messages: readonly unknown[]): string =>
    template.render({ ...tokenizer.config, ...options, messages, add_generation_prompt: true });
  return steps.map(({ messages, completion }, i) => {
    const context = [
      { role: 'user', content: 'zymurgy' },
      { role: 'assistant', content: LAST },
    ];
    const text = render(i === 0 ? messages : [...context, ...messages]);
    const mark = `${LAST}${endText}`;
    const added = i === 0 ? text : text.slice(text.lastIndexOf(mark) + mark.length);
    const sampled = [...tokenizer.encode(completion), ...tokenizer.encode(endText)];
    return { prompt: [...tokenizer.encode(added)], sampled, finish: 'stop' };
  });
}
