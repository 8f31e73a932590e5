import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ToolCallInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectAt, Refused, shown } from '../fields.ts';
import { joined, leftover } from '../json-text.ts';
import { type Chat, createChat, type KnownOfMessage } from './chat-messages.ts';
import { miniSweCall, replyOf } from './mini-swe-call.ts';
import { isObservation, miniSweResult, miniSweTime } from './mini-swe-result.ts';

/** Messages in order. What the loop noted beside each stands in its `extra`. */
export function addMiniSweMessages(out: AttemptEvents, messages: readonly JsonValue[], field: string): Chat {
  /** Of the next message that is added. */
  let known: KnownOfMessage = {};
  /** Commands of the last call that stood in its text, and how many of them were answered. */
  let written: readonly ToolCallInit[] = [];
  let answered = 0;
  const chat = createChat(out, { known: () => known });

  function add(message: JsonObject, path: string, about: KnownOfMessage, isInput = false): void {
    known = about;
    chat.add(message, path, isInput);
  }

  function addCall(message: JsonObject, path: string, extra: JsonObject, time: KnownOfMessage): void {
    const about =
      message.object === 'response' ? responseCall(message, extra) : miniSweCall(message, extra, chat.calls);
    written = message.tool_calls || message.object === 'response' ? [] : (about.call?.tool_calls ?? []);
    answered = 0;
    const { role } = message;
    const other = role === 'assistant' || role === undefined ? undefined : { role };
    add(joined(message, ASSISTANT), path, placed(about, time, other));
  }

  for (const [i, entry] of messages.entries()) {
    const path = `${field}[${i}]`;
    const message = objectAt(entry, path);
    if (message.role === undefined && message.type === undefined && message.object === undefined)
      throw new Refused(`${path}.role`, 'a role', shown(message.role));
    const extra = notesOf(message);
    const { endedAtUs, times } = miniSweTime(message, extra);
    const time: KnownOfMessage = { place: { endedAtUs }, extra: { times } };
    const rest = plain(message, extra, time);
    if (message.role === 'assistant' || message.object === 'response') addCall(message, path, extra, time);
    else if (message.type === 'function_call_output') {
      const { call_id, output, ...others } = message;
      const result = joined(others, TOOL, { tool_call_id: call_id ?? null, content: output ?? null });
      add(result, path, placed(miniSweResult(extra, output), time));
    } else if (message.role === 'tool' || (message.role === 'user' && isObservation(extra))) {
      const about = miniSweResult(extra, message.content);
      const isText = message.role === 'user';
      const id = isText ? (written[answered++]?.call_id ?? '') : message.tool_call_id;
      // To the model it came from the user: there is no other role in its text.
      const role = isText ? USER : undefined;
      add(joined(message, TOOL, { tool_call_id: id ?? null }), path, placed(about, time, role));
    } else if (extra.interrupt_type === 'FormatError' && saidBefore(extra) !== null) {
      // The answer that could not be read was sampled, too: it stands beside the complaint alone.
      const said = saidBefore(extra) ?? {};
      addCall(said, path, isObject(extra.response) ? { response: extra.response } : {}, {});
      const kept = leftover(extra, ['timestamp', 'model_response', 'response']);
      add(message, path, { ...rest, extra: { ...rest.extra, extra: kept } }, true);
    } else add(message, path, rest, true);
  }
  return chat;
}

const ASSISTANT = { role: 'assistant' };
const TOOL = { role: 'tool' };
const USER = { role: 'user' };

/** With the time, and what else goes into extra_json. */
function placed(
  { call, result, taken, extra }: KnownOfMessage,
  time: KnownOfMessage,
  more?: JsonObject,
): KnownOfMessage {
  return { call, result, taken, place: time.place, extra: joined(extra, time.extra, more) };
}

/** What the loop noted beside a message; something else in its place is kept as a note of that name. */
function notesOf({ extra }: JsonObject): JsonObject {
  if (isObject(extra)) return extra;
  return extra === undefined || extra === null ? {} : { extra };
}

function plain(message: JsonObject, extra: JsonObject, time: KnownOfMessage): KnownOfMessage {
  const isOther = message.extra !== undefined && !isObject(message.extra);
  const kept = isOther ? message.extra : leftover(extra, ['timestamp']);
  return { place: time.place, extra: joined(time.extra, { extra: kept }), taken: ['extra', 'timestamp'] };
}

/** The answer that a complaint about its format is about; null: it is not kept. */
function saidBefore(extra: JsonObject): JsonObject | null {
  const { response, model_response } = extra;
  if (isObject(response) && response.object === 'response') return response;
  if (isObject(response) && Array.isArray(response.choices)) {
    const [choice] = response.choices;
    if (isObject(choice) && isObject(choice.message)) return choice.message;
  }
  return typeof model_response === 'string' ? { content: model_response } : null;
}

/** A message that is a reply of the responses API as it came: its output items stay as they are. */
function responseCall(message: JsonObject, extra: JsonObject): KnownOfMessage {
  const { call, rest } = replyOf(leftover(message, ['extra']) ?? {}, {});
  const output = Array.isArray(message.output) ? message.output : [];
  const tool_calls = output.flatMap((item): ToolCallInit[] => {
    if (!isObject(item) || item.type !== 'function_call') return [];
    const { call_id, id, name, arguments: written } = item;
    return [
      {
        call_id: typeof call_id === 'string' ? call_id : typeof id === 'string' ? id : '',
        name: typeof name === 'string' ? name : null,
        arguments_raw: typeof written === 'string' ? bytesOfText(written) : null,
      },
    ];
  });
  return {
    call: { ...call, tool_calls },
    extra: { response: rest, extra: leftover(extra, ['timestamp']) },
    taken: Object.keys(message),
  };
}
