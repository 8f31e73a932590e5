import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { jsonText, leftover } from '../json-text.ts';
import { unpacked } from './otlp-calls.ts';

const KEYS = ['gen_ai.system_instructions', 'gen_ai.input.messages'] as const;

/**
 * Each call tells the whole conversation that it was given. What the call before it in its segment was given already is left
 * out; what is new becomes messages, but for answers and results, which are events of their own.
 */
export function createOtelHistory(
  out: AttemptEvents,
): (attributes: JsonObject, place: EventPlace) => Record<string, JsonValue | undefined> {
  const given = new Map<string, Given>();

  return (attributes, place) => {
    const rest: Record<string, JsonValue | undefined> = {};
    for (const key of KEYS) {
      const value = attributes[key];
      if (value === undefined) continue;
      const name = `${place.segmentId} ${key}`;
      const { from, fresh, now } = compared(value, given.get(name));
      given.set(name, now);
      for (const message of fresh) addMessage(out, message, key, place);
      // An answer or a result may be told otherwise than where it was an event: what is new stays.
      if (from > 0) rest[key] = fresh.length === 0 ? undefined : { after: from, messages: fresh };
      else rest[key] = fresh.some(isTold) ? value : undefined;
    }
    return rest;
  };
}

/** What a call was given: as text, where it was one, and message by message. */
interface Given {
  readonly text: string | null;
  readonly count: number;
  /** Each as JSON; null: they were not needed yet. */
  readonly texts: readonly string[] | null;
}

interface Compared {
  /** How many were given before; 0 where the history is another one. */
  readonly from: number;
  readonly fresh: JsonValue[];
  readonly now: Given;
}

function compared(value: JsonValue, before: Given | undefined): Compared {
  // Most often the text goes on where the one before it closed its list: only what is new is parsed.
  const head = before?.text?.endsWith(']') ? before.text.slice(0, -1) : null;
  if (
    typeof value === 'string' &&
    before !== undefined &&
    head !== null &&
    before.count > 0 &&
    // Compares blocks of memory; startsWith goes by characters, which is a dozen times slower.
    value.slice(0, head.length) === head
  ) {
    const tail = value.slice(head.length);
    const more = tail === ']' ? [] : tail.startsWith(',') ? unpacked(`[${tail.slice(1)}`) : null;
    if (Array.isArray(more)) {
      const now = { text: value, count: before.count + more.length, texts: null };
      return { from: before.count, fresh: more, now };
    }
  }
  const list = listOf(value);
  const texts = list.map(jsonText);
  const earlier = before === undefined ? [] : (before.texts ?? listOf(before.text ?? null).map(jsonText));
  const from = earlier.every((text, i) => text === texts[i]) ? earlier.length : 0;
  const text = typeof value === 'string' ? value : null;
  return { from, fresh: list.slice(from), now: { text, count: list.length, texts } };
}

function listOf(value: JsonValue): readonly JsonValue[] {
  const messages = unpacked(value);
  return Array.isArray(messages) ? messages : [messages ?? null];
}

function isTold(message: JsonValue): boolean {
  return isObject(message) && (message.role === 'assistant' || message.role === 'tool');
}

const WITH_CONTENT = ['role', 'content'];
const WITH_PARTS = ['role', 'parts'];

function addMessage(out: AttemptEvents, message: JsonValue, key: string, { segmentId, startedAtUs }: EventPlace): void {
  if (isTold(message)) return;
  const role =
    isObject(message) && typeof message.role === 'string' ? message.role : key === KEYS[0] ? 'system' : 'unknown';
  const content = isObject(message) ? (message.parts ?? message.content ?? null) : message;
  const said = isObject(message) ? message : {};
  const extra = leftover(said, said.parts === undefined ? WITH_CONTENT : WITH_PARTS);
  out.add('message', { message: { role, parts_json: jsonText(content) } }, extra, {
    segmentId,
    endedAtUs: startedAtUs,
  });
}
