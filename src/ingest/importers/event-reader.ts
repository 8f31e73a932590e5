import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import { stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { parseExact } from '../exact-json.ts';
import { ExactNumber, isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, objectAt, Refused, shown, textAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';
import { packLogprobs, packTokenIds } from '../packed.ts';

type Read = (value: JsonValue, field: string) => unknown;

const schemaText: string = JSON.stringify(stepEventSchema);
const schema: JsonValue = JSON.parse(schemaText);

/** Reads the JSON form of a StepEvent by the schema itself: packed bytes are arrays of numbers or text, defaults may be left out. */
export const readStepEvent: Read = readerOf(schema, '', new Map());

function readerOf(type: JsonValue | undefined, name: string, named: Map<string, Read>): Read {
  if (typeof type === 'string') return named.get(type) ?? primitive(type, name);
  if (Array.isArray(type)) return nullable(type, name, named);
  if (!isObject(type)) throw new TypeError(`no reader for ${name}`);
  const read = complex(type, name, named);
  if (typeof type.name === 'string') named.set(type.name, read);
  return read;
}

function complex(schema: JsonObject, name: string, named: Map<string, Read>): Read {
  switch (schema.type) {
    case 'record':
      return record(arrayAt(schema.fields, name), named);
    case 'enum':
      return enumeration(arrayAt(schema.symbols, name));
    case 'array': {
      const item = readerOf(schema.items, name, named);
      return (value, field) => arrayAt(value, field).map((entry, i) => item(entry, `${field}[${i}]`));
    }
    case 'map': {
      const item = readerOf(schema.values, name, named);
      return (value, field) =>
        Object.fromEntries(
          Object.entries(objectAt(value, field)).map(([key, entry]) => [key, item(entry, `${field}.${key}`)]),
        );
    }
    default:
      return readerOf(schema.type, name, named);
  }
}

function record(fields: readonly JsonValue[], named: Map<string, Read>): Read {
  const readers = new Map<string, Read>();
  const required: string[] = [];
  for (const entry of fields) {
    const field = objectAt(entry, 'fields');
    const name = textAt(field.name, 'fields.name');
    readers.set(name, readerOf(field.type, name, named));
    if (field.default === undefined) required.push(name);
  }
  return (value, field) => {
    const path = (key: string) => (field === '' ? key : `${field}.${key}`);
    const read: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(objectAt(value, field))) {
      const reader = readers.get(key);
      // A misspelt name would lose its data and take the default instead.
      if (reader === undefined) {
        throw new Refused(path(key), `one of ${[...readers.keys()].join(', ')}`, key, 'there is no such field');
      }
      read[key] = reader(entry, path(key));
    }
    const absent = required.find((key) => read[key] === undefined);
    if (absent !== undefined) throw new Refused(path(absent), 'a value', 'nothing', 'is missing');
    return read;
  };
}

/** The symbol `unknown` is what a reader makes of symbols it does not know: it is no value to write. */
function enumeration(symbols: readonly JsonValue[]): Read {
  return (value, field) => {
    if (typeof value === 'string' && symbols.includes(value)) return value;
    throw new Refused(field, `one of ${symbols.join(', ')}`, shown(value));
  };
}

function nullable(branches: readonly JsonValue[], name: string, named: Map<string, Read>): Read {
  const [branch] = branches.filter((type) => type !== 'null');
  if (branch === undefined || branches.length !== 2) throw new TypeError(`no reader for the union of ${name}`);
  const read = readerOf(branch, name, named);
  return (value, field) => (value === null ? null : read(value, field));
}

function primitive(type: string, name: string): Read {
  switch (type) {
    case 'string':
      return name.endsWith('_json') ? jsonField : textAt;
    case 'bytes':
      return bytesReader(name);
    case 'boolean':
      return flagAt;
    case 'double':
      return doubleAt;
    case 'int':
      return integerWithin(2 ** 31);
    case 'long':
      return integerWithin(2 ** 53);
    default:
      throw new TypeError(`no reader for ${type}`);
  }
}

function bytesReader(name: string): Read {
  if (name.endsWith('_ids')) return (value, field) => packTokenIds(arrayAt(value, field), field);
  if (name.endsWith('_logprobs')) return (value, field) => packLogprobs(arrayAt(value, field), field).bytes;
  return (value, field) => bytesOfText(textAt(value, field));
}

/** JSON inside JSON: as text that parses, or unpacked. */
function jsonField(value: JsonValue, field: string): string {
  if (isObject(value) || Array.isArray(value)) return jsonText(value);
  const text = textAt(value, field);
  const parsed = parseExact(text);
  if (parsed.kind === 'malformed') throw new Refused(field, 'JSON text', parsed.message);
  return text;
}

/** NaN is what it says on a reward: missing. */
function doubleAt(value: JsonValue, field: string): number | null {
  if (typeof value === 'number') return value;
  if (value instanceof ExactNumber) return value.isInteger ? Number(value.text) : null;
  throw new Refused(field, 'a number', shown(value));
}

function flagAt(value: JsonValue, field: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new Refused(field, 'true or false', shown(value));
}

function integerWithin(limit: number): Read {
  return (value, field) => {
    if (typeof value === 'number' && Number.isInteger(value) && value < limit && value >= -limit) return value;
    throw new Refused(field, `an integer within ±${limit - 1}`, shown(value));
  };
}

/** NaN and infinities in an event, by path: they become null in their field and are kept here. */
export function inexactNumbers(value: JsonValue, path = ''): JsonObject {
  const found: JsonObject = {};
  if (value instanceof ExactNumber) found[path] = value;
  else if (isObject(value)) {
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry === 'object') Object.assign(found, inexactNumbers(entry, path === '' ? key : `${path}.${key}`));
    }
  }
  return found;
}
