import type { DeepInput } from '../../processors/model/deep-input.ts';
import type { Tokenizer } from '../../processors/model/tokenizer.ts';
import type { AttemptMessages, Told } from './attempt-messages.ts';

/** A conversation as a chat template takes it. */
export interface Conversation {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>;
  /** Forms that the tools may have been rendered in; a tool list that nobody told is none. */
  readonly tools: ReadonlyArray<readonly unknown[] | null>;
  readonly vars: Readonly<Record<string, unknown>>;
  /** What of it the record does not say, so that a difference proves nothing. Empty: all is known. */
  readonly unsure: readonly string[];
}

/** The conversation that the prompt of a model call was rendered from, or what is missing to know it. */
export function promptOf(
  turn: number,
  told: AttemptMessages,
  input: DeepInput,
  tokenizer: Pick<Tokenizer, 'decode' | 'has' | 'eosIds'>,
  endOfTurnId: number,
): Conversation | { readonly missing: string } {
  const before = told.before(turn);
  if (before === undefined) return { missing: 'its messages' };
  const unsure = new Set<string>();
  const messages: Array<{ role: string; content: string }> = [];
  for (const one of before) {
    if (one.kind !== 'message') unsure.add('what it was shown of earlier turns');
    const message = messageOf(one, unsure, (call) => completionOf(call, input, tokenizer, endOfTurnId));
    if ('missing' in message) return message;
    messages.push(message);
  }
  if (!before.some(({ kind }) => kind === 'message')) {
    if (told.task === null) return { missing: 'its messages' };
    unsure.add('its messages, but for the task');
    messages.unshift({ role: 'user', content: textOf(told.task) });
  }
  const { templateVarsJson, templateSha256 } = input;
  const vars = templateVarsJson === null ? {} : parsed(templateVarsJson);
  if (!isRecord(vars)) return { missing: 'template variables that are a JSON object' };
  if (templateVarsJson === null) unsure.add('its template variables');
  if (templateSha256 === null) unsure.add('the hash of its chat template');
  const tools = toolForms(told.toolsJson, unsure);
  return tools === null ? { missing: 'tools that are a JSON array' } : { messages, tools, vars, unsure: [...unsure] };
}

type Message = { readonly role: string; readonly content: string };

function messageOf(
  told: Told,
  unsure: Set<string>,
  completion: (turn: number) => string | null,
): Message | { readonly missing: string } {
  if (told.kind === 'call') {
    const content = completion(told.turn);
    return content === null ? { missing: 'the text of an earlier completion' } : { role: 'assistant', content };
  }
  if (told.kind === 'result')
    return told.output === null
      ? { missing: 'what a tool answered' }
      : { role: 'tool', content: textOf(told.output), ...(told.name === null ? {} : { name: told.name }) };
  if (!ROLES.has(told.role)) return { missing: 'a message whose role is known' };
  const content = contentOf(parsed(told.partsJson), unsure);
  if (content === null) return { missing: 'a message that is text' };
  const extra = told.extraJson === null ? {} : parsed(told.extraJson);
  if (!isRecord(extra) || Object.keys(extra).some((key) => !ABOUT_A_MESSAGE.has(key)))
    unsure.add('what its messages hold beside text');
  return { role: told.role, content };
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
/** No template writes them. */
const ABOUT_A_MESSAGE: ReadonlySet<string> = new Set(['type', 'id', 'status', 'tracking_id']);
const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text', 'input_text', 'output_text']);

/** null: it is not text alone. */
function contentOf(content: unknown, unsure: Set<string>): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts: string[] = [];
  for (const part of content) {
    const text = typeof part === 'string' ? part : isRecord(part) && TEXT_TYPES.has(part.type) ? part.text : null;
    if (typeof text !== 'string') return null;
    texts.push(text);
  }
  if (texts.length !== 1) unsure.add('how the parts of a message were joined');
  return texts.join('');
}

/** What was sampled, before the token that ends the turn; else the text before any parser. */
function completionOf(
  turn: number,
  { segments, turns }: DeepInput,
  tokenizer: Pick<Tokenizer, 'decode' | 'has' | 'eosIds'>,
  endOfTurnId: number,
): string | null {
  for (const { ranges, tokenIds } of segments) {
    const range = ranges.find((one) => one.turn === turn && !one.copied);
    if (range === undefined || range.end === range.sampledStart) continue;
    const last = tokenIds[range.end - 1] ?? -1;
    const end = last === endOfTurnId || tokenizer.eosIds.includes(last) ? range.end - 1 : range.end;
    for (let i = range.sampledStart; i < end; i++) if (!tokenizer.has(tokenIds[i] ?? -1)) return null;
    return textOf(tokenizer.decode(tokenIds, range.sampledStart, end));
  }
  const rawText = turns.find((one) => one.turn === turn)?.rawText ?? null;
  return rawText === null ? null : textOf(rawText);
}

/** As they stand there and, where they lack the envelope that chat templates expect, within it. null: they are no list. */
function toolForms(toolsJson: string | null, unsure: Set<string>): ReadonlyArray<readonly unknown[] | null> | null {
  if (toolsJson === null) {
    unsure.add('its tools');
    return [null];
  }
  const tools = parsed(toolsJson);
  if (!Array.isArray(tools)) return null;
  if (tools.every((tool) => isRecord(tool) && isRecord(tool.function))) return [tools];
  unsure.add('the form that its tools were rendered in');
  const bare = tools.map((tool: unknown) => (isRecord(tool) ? tool : { name: tool }));
  const enveloped = bare.map(({ type: _type, ...definition }) => ({ type: 'function', function: definition }));
  const withoutStrict = bare.map(({ type: _type, strict: _strict, ...definition }) => definition);
  const lean = withoutStrict.map((definition) => ({ type: 'function', function: definition }));
  return [enveloped, ...(bare.some(({ strict }) => strict !== undefined) ? [lean] : []), tools];
}

/** undefined: it is no JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
