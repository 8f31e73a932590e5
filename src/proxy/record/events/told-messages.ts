import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';
import { asText, jsonText, leftover } from '../../../ingest/json-text.ts';
import type { Conversation } from '../call/conversation.ts';
import { callsOf, replyHash, type SaidCall } from '../call/reply.ts';
import type { ChosenSegment } from './choose-segment.ts';
import type { Extra } from './event-line.ts';

/** A turn that a request tells of and no model call made. */
export interface ToldMessage {
  readonly kind: 'message' | 'tool_result';
  /** JSON text of the record. */
  readonly body: string;
  readonly extra: Extra | null;
}

export interface ToldByRequest {
  readonly messages: readonly ToldMessage[];
  /** The answer of the last call as the client sends it back, where that says something else; undefined: it does not. */
  readonly sentBack: JsonValue | undefined;
}

const NOTHING: ToldByRequest = { messages: [], sentBack: undefined };

/** What is new in the messages of a request. `calls`: model calls before it; a tool's result is none where nobody called. */
export function toldMessages(conversation: Conversation, segment: ChosenSegment, calls: number): ToldByRequest {
  if (conversation.kind !== 'messages') return NOTHING;
  const { messages, hashes } = conversation;
  const { known, commonMessages: common } = segment;
  const isContinued = known !== null && common === known.messages.length;
  const before = new Set(isContinued ? [] : known?.messages);
  const answered = isContinued && known.lastCall >= 0 ? common : -1;
  const told: ToldMessage[] = [];
  for (const [i, message] of messages.entries()) {
    if (i < common || before.has(hashes[i] ?? '')) continue;
    if (!isObject(message)) {
      told.push(plainMessage('unknown', message, null));
      continue;
    }
    const role = typeof message.role === 'string' ? message.role : 'unknown';
    // The call said it.
    if (i === answered && role === 'assistant') continue;
    if (role === 'tool' && calls > 0) {
      const caller = callerBefore(messages, i);
      const turn = caller !== null && caller === answered ? (known?.lastCall ?? null) : null;
      told.push(toolResult(message, caller === null ? undefined : messages[caller], turn));
    } else if (role !== 'assistant' || known === null || isContinued) {
      // Those of a history that was rewritten are turns of the model, told anew.
      told.push(plainMessage(role, message.content ?? null, leftover(message, ['role', 'content']) ?? null));
    }
  }
  return { messages: told, sentBack: answered < 0 ? undefined : otherAnswer(messages[answered], known?.reply ?? null) };
}

function plainMessage(role: string, content: JsonValue, extra: JsonObject | null): ToldMessage {
  return { kind: 'message', body: JSON.stringify({ role, parts_json: jsonText(content) }), extra };
}

/** What the history says that was called is what the client says that it called. */
function toolResult(message: JsonObject, caller: JsonValue | undefined, turn: number | null): ToldMessage {
  const { tool_call_id, content, name } = message;
  const callId = typeof tool_call_id === 'string' ? tool_call_id : '';
  const call: SaidCall | undefined = isObject(caller) ? callsOf(caller).find(({ id }) => id === callId) : undefined;
  const args = call?.args ?? null;
  const body = JSON.stringify({
    call_id: callId,
    turn,
    name: call?.name ?? (typeof name === 'string' ? name : null),
    executed_arguments: args === null ? null : asText(args),
    status: 'unknown',
    output: content === null || content === undefined ? null : asText(content),
  });
  return { kind: 'tool_result', body, extra: leftover(message, ['role', 'tool_call_id', 'content', 'name']) ?? null };
}

/** Place of the assistant's message that a tool answers. */
function callerBefore(messages: readonly JsonValue[], at: number): number | null {
  for (let i = at - 1; i >= 0; i--) {
    const message = messages[i];
    if (isObject(message) && message.role === 'assistant') return i;
  }
  return null;
}

function otherAnswer(message: JsonValue | undefined, reply: string | null): JsonValue | undefined {
  if (!isObject(message) || message.role !== 'assistant' || reply === null) return undefined;
  return replyHash(message) === reply ? undefined : message;
}
