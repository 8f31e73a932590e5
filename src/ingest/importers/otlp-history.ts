import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { jsonText } from '../json-text.ts';
import { unpacked } from './otlp-calls.ts';

const KEYS = ['gen_ai.system_instructions', 'gen_ai.input.messages'] as const;

/**
 * Each call tells the whole conversation that it was given. What the call before it in its segment was given already is left
 * out; what is new becomes messages, but for answers and results, which are events of their own.
 */
export function createOtelHistory(
  out: AttemptEvents,
): (attributes: JsonObject, place: EventPlace) => Record<string, JsonValue | undefined> {
  const given = new Map<string, readonly string[]>();

  return (attributes, place) => {
    const rest: Record<string, JsonValue | undefined> = {};
    for (const key of KEYS) {
      const value = attributes[key];
      const messages = unpacked(value);
      if (value === undefined) continue;
      const list = Array.isArray(messages) ? messages : [messages ?? null];
      const name = `${place.segmentId} ${key}`;
      const before = given.get(name) ?? [];
      const texts = list.map((message) => jsonText(message));
      const isMore = before.every((text, i) => text === texts[i]);
      const from = isMore ? before.length : 0;
      given.set(name, texts);
      for (const message of list.slice(from)) addMessage(out, message, key, place);
      // An answer or a result may be told otherwise than where it was an event: what is new stays.
      rest[key] = from === 0 ? value : texts.length === from ? undefined : { after: from, messages: list.slice(from) };
      if (from === 0 && list.every((message) => !isTold(message))) rest[key] = undefined;
    }
    return rest;
  };
}

function isTold(message: JsonValue): boolean {
  return isObject(message) && (message.role === 'assistant' || message.role === 'tool');
}

function addMessage(out: AttemptEvents, message: JsonValue, key: string, { segmentId, startedAtUs }: EventPlace): void {
  if (isTold(message)) return;
  const role =
    isObject(message) && typeof message.role === 'string' ? message.role : key === KEYS[0] ? 'system' : 'unknown';
  const content = isObject(message) ? (message.parts ?? message.content ?? null) : message;
  const { role: _role, ...others } = isObject(message) ? message : {};
  const rest: JsonObject = { ...others };
  delete rest[rest.parts === undefined ? 'content' : 'parts'];
  const extra = Object.keys(rest).length === 0 ? undefined : rest;
  out.add('message', { message: { role, parts_json: jsonText(content) } }, extra, {
    segmentId,
    endedAtUs: startedAtUs,
  });
}
