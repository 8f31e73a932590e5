import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ModelCallInit, ToolCallInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { asText, isSameJson, joined, jsonText, leftover, unlessEmpty } from '../json-text.ts';
import type { KnownOfMessage } from './chat-messages.ts';
import { chatUsage } from './chat-usage.ts';

/** What the reply of the API says of a call, and the rest of it. */
interface Reply {
  readonly call: Partial<ModelCallInit>;
  readonly rest: JsonObject | undefined;
}

/**
 * What is beside an assistant message: the API's whole reply, and the actions that the loop read off it. A message without tool
 * calls has the command in its text, which then is what the model wrote.
 */
export function miniSweCall(message: JsonObject, extra: JsonObject, turn: number): KnownOfMessage {
  const reply = isObject(extra.response) ? replyOf(extra.response, message) : null;
  const isList = Array.isArray(message.tool_calls);
  const isText = !Array.isArray(message.tool_calls) || message.tool_calls.length === 0;
  const actions = isText && Array.isArray(extra.actions) ? extra.actions : [];
  const written = actions.map((action, i) => writtenCall(action, `action-${turn}.${i}`));
  return {
    call: {
      ...reply?.call,
      ...(isText && typeof message.content === 'string' ? { raw_text: bytesOfText(message.content) } : {}),
      ...(written.length > 0 ? { tool_calls: written } : {}),
    },
    extra: {
      content: isText && typeof message.content === 'string' ? undefined : (message.content ?? undefined),
      extra: unlessEmpty(
        joined(leftover(extra, ['response', 'timestamp', ...(written.length > 0 ? ['actions'] : [])]), {
          response: reply === null ? extra.response : reply.rest,
        }),
      ),
    },
    // What stands there and is no list is kept, though it made no calls.
    taken: ['content', 'extra', 'timestamp', ...(written.length > 0 && isList ? ['tool_calls'] : [])],
  };
}

/** The command in a block of text: what the loop read off it, and no name. */
function writtenCall(action: JsonValue, callId: string): ToolCallInit {
  return { call_id: callId, arguments_parsed: jsonText(action) };
}

/** A reply of the chat API, or of the responses API, whose message is the reply itself. */
export function replyOf(response: JsonObject, message: JsonObject): Reply {
  const { id, model, choices, usage, status, incomplete_details } = response;
  const counted = chatUsage(usage);
  const [choice, ...more] = Array.isArray(choices) ? choices : [];
  const finish = isObject(choice) ? choice.finish_reason : undefined;
  const isIncomplete = incomplete_details !== undefined && incomplete_details !== null;
  const ofResponses = status === undefined ? null : isIncomplete ? { status, incomplete_details } : status;
  const isFinish = typeof finish === 'string';
  return {
    call: {
      ...(typeof id === 'string' && id !== '' ? { call_id: id } : {}),
      model: typeof model === 'string' ? model : null,
      usage: counted.usage,
      // Whose words they are depends on the server: kept whole, as it gave them.
      finish_reason: isFinish ? finish : ofResponses === null ? null : asText(ofResponses),
    },
    rest: unlessEmpty(
      joined(leftover(response, REPLY_KEYS), {
        id: typeof id === 'string' && id !== '' ? undefined : id,
        model: typeof model === 'string' ? undefined : model,
        usage: counted.rest,
        choices: choicesRest(choice, more, message, isFinish) ?? (Array.isArray(choices) ? undefined : choices),
        incomplete_details: ofResponses === null ? (incomplete_details ?? undefined) : undefined,
      }),
    ),
  };
}

const REPLY_KEYS = ['id', 'model', 'choices', 'usage', 'status', 'incomplete_details'];

/** Of the choices, what the message does not say once more. */
function choicesRest(
  choice: JsonValue | undefined,
  more: readonly JsonValue[],
  message: JsonObject,
  isFinish: boolean,
): JsonValue | undefined {
  if (more.length > 0 || (choice !== undefined && !isObject(choice))) return [choice ?? null, ...more];
  if (choice === undefined) return undefined;
  const rest = leftover(choice, isFinish ? ['finish_reason', 'message'] : ['message']);
  const said = isObject(choice.message) ? differing(choice.message, message) : choice.message;
  const kept = unlessEmpty(joined(rest, { message: said }));
  return kept === undefined ? undefined : [kept];
}

function differing(said: JsonObject, message: JsonObject): JsonObject | undefined {
  return leftover(
    said,
    Object.keys(said).filter((key) => isSameJson(said[key] ?? null, message[key] ?? null)),
  );
}
