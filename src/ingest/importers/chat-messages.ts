import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ModelCallInit, ToolResultInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue, setOwn } from '../exact-number.ts';
import { joined, jsonText, leftover } from '../json-text.ts';
import { chatToolCalls } from './chat-tool-calls.ts';

type Extra = Readonly<Record<string, JsonValue | undefined>>;

/** What a source knows about one message besides what the message says. */
export interface KnownOfMessage {
  /** Fields of the call that an assistant message came from: ids, usage, finish reason … They go before the message's own. */
  readonly call?: Partial<ModelCallInit>;
  /** Fields of the result that a tool message is. */
  readonly result?: Partial<ToolResultInit>;
  readonly place?: EventPlace;
  /** Goes into extra_json beside what is left of the message. */
  readonly extra?: Extra;
  /** Keys of the message that `call`, `result`, `place` or `extra` hold already: they are not kept again. */
  readonly taken?: readonly string[];
}

export interface ChatOptions {
  /** Index of the first message of the loop: assistant and tool messages before it are part of the input. Absent: 0. */
  readonly completionFrom?: number;
  /** The content of assistant messages is what the model wrote before any parser, so that audits may read it. Absent: it is not. */
  readonly isRawContent?: boolean;
  /** Asked for each message: for an assistant message of the loop `turn` is its call, else the last call before it (-1: none). */
  known?(message: JsonObject, turn: number, path: string): KnownOfMessage | undefined;
}

/** A conversation that becomes events, message by message; for sources that have other things between the messages. */
export interface Chat {
  /** Model calls so far, over the whole attempt. */
  readonly calls: number;
  /** Text of the last message, if the model wrote it. */
  readonly finalText: string | null;
  /** `isInput`: it was there before the loop began. */
  add(message: JsonValue, path: string, isInput?: boolean): void;
  /** A call that no message tells of, such as one that failed: turns count it, too. */
  addCall(call: ModelCallInit, extra?: Extra, place?: EventPlace): void;
}

/**
 * Messages as OpenAI's chat API has them, as events. One a message:
 * - `{role: 'assistant', content, tool_calls}` of the loop → model_call with its tool calls; content, reasoning and all else in extra_json
 * - `{role: 'tool', tool_call_id, content}` of the loop → tool_result, bound to the last call that asked with this id; where none
 *   did it stands alone (turn null), and where it names none its call_id is ''
 * - all others, and whatever is input → message with its role (`unknown` without one); what else it holds in extra_json
 */
export function addChatMessages(
  out: AttemptEvents,
  messages: readonly JsonValue[],
  path: string,
  options: ChatOptions = {},
): Chat {
  const chat = createChat(out, options);
  const from = options.completionFrom ?? 0;
  for (let i = 0; i < messages.length; i++) chat.add(messages[i] ?? null, `${path}[${i}]`, i < from);
  return chat;
}

const NOTHING: KnownOfMessage = {};

export function createChat(out: AttemptEvents, options: ChatOptions = {}): Chat {
  const askedBy = new Map<string, { readonly turn: number; readonly name: string | null }>();
  let calls = 0;
  let finalText: string | null = null;

  function addCall(message: JsonObject, known: KnownOfMessage): void {
    const { content, tool_calls, id } = message;
    const asked = chatToolCalls(known.taken?.includes('tool_calls') ? undefined : tool_calls);
    const isRaw = options.isRawContent === true && typeof content === 'string';
    const call: ModelCallInit = {
      call_id: typeof id === 'string' && id !== '' ? id : `call-${calls}`,
      raw_text: isRaw ? bytesOfText(content) : null,
      tool_calls: asked.calls,
      ...known.call,
    };
    const rest = restOf(message, known, isRaw ? RAW_CALL_KEYS : CALL_KEYS);
    const isOtherId = id !== undefined && id !== call.call_id;
    out.add(
      'model_call',
      { model_call: call },
      joined(rest, { id: isOtherId ? id : undefined, tool_calls: asked.kept }, known.extra),
      known.place,
    );
    for (const { call_id, name } of call.tool_calls ?? []) askedBy.set(call_id, { turn: calls, name: name ?? null });
    calls++;
    finalText = chatText(content);
  }

  function addResult(message: JsonObject, known: KnownOfMessage): void {
    const { tool_call_id, name, content } = message;
    const id = typeof tool_call_id === 'string' ? tool_call_id : '';
    const asked = id === '' ? undefined : askedBy.get(id);
    const text = chatText(content);
    const result: ToolResultInit = {
      call_id: id,
      turn: asked?.turn ?? null,
      name: typeof name === 'string' ? name : (asked?.name ?? null),
      output: content === undefined || content === null ? null : bytesOfText(text ?? jsonText(content)),
      ...known.result,
    };
    const oddId = id === '' && tool_call_id !== undefined ? tool_call_id : undefined;
    const oddName = typeof name === 'string' ? undefined : name;
    const rest = restOf(message, known, RESULT_KEYS);
    out.add(
      'tool_result',
      { tool_result: result },
      joined(rest, { tool_call_id: oddId, name: oddName }, known.extra),
      known.place,
    );
    finalText = null;
  }

  function addMessage(message: JsonValue, known: KnownOfMessage): void {
    const said: JsonObject = isObject(message) ? message : { content: message };
    const { role, content } = said;
    const name = typeof role === 'string' ? role : 'unknown';
    const odd = role === undefined || typeof role === 'string' ? undefined : role;
    const kept = restOf(said, known, MESSAGE_KEYS);
    out.add(
      'message',
      { message: { role: name, parts_json: jsonText(content ?? null) } },
      joined(kept, { role: odd }, known.extra),
      known.place,
    );
    finalText = null;
  }

  return {
    get calls() {
      return calls;
    },
    get finalText() {
      return finalText;
    },
    addCall(call, extra, place) {
      out.add('model_call', { model_call: call }, extra, place);
      for (const { call_id, name } of call.tool_calls ?? []) askedBy.set(call_id, { turn: calls, name: name ?? null });
      calls++;
      finalText = null;
    },
    add(message, path, isInput = false) {
      const role = isObject(message) && !isInput ? message.role : undefined;
      const turn = role === 'assistant' ? calls : calls - 1;
      const known = (isObject(message) && options.known?.(message, turn, path)) || NOTHING;
      if (isObject(message) && role === 'assistant') addCall(message, known);
      else if (isObject(message) && role === 'tool') addResult(message, known);
      else addMessage(message, known);
    },
  };
}

const CALL_KEYS = ['role', 'tool_calls', 'id'];
const RAW_CALL_KEYS = [...CALL_KEYS, 'content'];
const MESSAGE_KEYS = ['role', 'content'];
const RESULT_KEYS = ['role', 'tool_call_id', 'name', 'content'];

/** null says nothing: in this API it is the same as not being there, and tables fill their columns with it. */
function restOf(message: JsonObject, known: KnownOfMessage, keys: readonly string[]): Extra {
  const rest: JsonObject = {};
  for (const key in message) {
    const value = message[key];
    if (value === undefined || value === null || keys.includes(key) || known.taken?.includes(key)) continue;
    setOwn(rest, key, value);
  }
  return rest;
}

/** Text of a content that is a string, or one text part and nothing else; null: there is none. */
export function chatText(content: JsonValue | undefined): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length !== 1) return null;
  const [part] = content;
  if (!isObject(part) || part.type !== 'text' || typeof part.text !== 'string') return null;
  return leftover(part, ['type', 'text']) === undefined ? part.text : null;
}
