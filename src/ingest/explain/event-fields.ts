import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { parseExact } from '../exact-json.ts';
import { ExactNumber, isObject, type JsonValue } from '../exact-number.ts';

/** Fields that mean something else in each event; the others name the attempt, or are of one kind. */
const OF_ONE_EVENT = new Set(['extra_json', 'started_at', 'ended_at', 'duration_us', 'seq', 'segment_id']);

/** Fields of events as text, by place: `2 model_call.raw_text`. What is JSON text is looked into. The ids of events are left out. */
export function fieldsOf(events: readonly StepEventInit[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [i, event] of events.entries()) {
    for (const [name, value] of Object.entries(event)) {
      if (name === 'event_id' || name === 'producer_id') continue;
      add(fields, `${i} ${OF_ONE_EVENT.has(name) ? `${event.kind} ${name}` : name}`, name, value);
    }
  }
  return fields;
}

/** Place without the number of the event: what people read. */
export function placeOf(field: string): string {
  return field.slice(field.indexOf(' ') + 1);
}

function add(fields: Map<string, string>, path: string, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (Buffer.isBuffer(value)) fields.set(path, value.toString('latin1'));
  else if (typeof value === 'string' && name.endsWith('_json')) addJson(fields, path, value);
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) add(fields, `${path}[${i}]`, name, item);
  else if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) add(fields, `${path}.${key}`, key, item);
  } else fields.set(path, String(value));
}

function addJson(fields: Map<string, string>, path: string, text: string): void {
  const parsed = parseExact(text);
  if (parsed.kind === 'malformed') fields.set(path, text);
  else addValue(fields, path, parsed.value);
}

function addValue(fields: Map<string, string>, path: string, value: JsonValue): void {
  if (value instanceof ExactNumber) fields.set(path, value.text);
  else if (Array.isArray(value)) {
    // Not only what they hold, but that they are there.
    fields.set(path, `an array of ${value.length}`);
    for (const [i, item] of value.entries()) addValue(fields, `${path}[${i}]`, item);
  } else if (isObject(value)) for (const [key, item] of Object.entries(value)) addValue(fields, `${path}.${key}`, item);
  else fields.set(path, JSON.stringify(value));
}
