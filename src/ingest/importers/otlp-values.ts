import { ExactNumber, isObject, type JsonObject, type JsonValue, setOwn } from '../exact-number.ts';
import { Refused, shown } from '../fields.ts';
import { leftover } from '../json-text.ts';

/**
 * An id of a trace or span in hex, as OTel prints it: hex, base64 (what protobuf makes of bytes) or an integer of any size are
 * the same id. null: there is none. Anything else is its own text.
 */
export function otelId(value: JsonValue | undefined, field: string, bytes: 8 | 16): string | null {
  if (value === undefined || value === null || value === '') return null;
  const hex = hexOf(value, bytes);
  if (hex === null) {
    if (typeof value === 'string') return value;
    throw new Refused(field, 'an id: hex, base64 or an integer', shown(value));
  }
  return /^0+$/.test(hex) ? null : hex;
}

function hexOf(value: JsonValue, bytes: number): string | null {
  if (typeof value === 'string') {
    const plain = value.replace(/^0x/i, '');
    if (plain.length === 2 * bytes && /^[0-9a-f]+$/i.test(plain)) return plain.toLowerCase();
    const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && value.length === Math.ceil(bytes / 3) * 4;
    return isBase64 ? Buffer.from(value, 'base64').toString('hex') : null;
  }
  const digits = typeof value === 'number' ? String(value) : value instanceof ExactNumber ? value.text : '';
  return /^\d+$/.test(digits)
    ? BigInt(digits)
        .toString(16)
        .padStart(2 * bytes, '0')
    : null;
}

/** Attributes as an object: `[{key, value: {stringValue: …}}]` of OTLP, or an object already. */
export function otelAttributes(value: JsonValue | undefined, field: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  if (!Array.isArray(value)) throw new Refused(field, 'attributes', shown(value));
  return ofPairs(value, field);
}

function ofPairs(pairs: readonly JsonValue[], field: string): JsonObject {
  const attributes: JsonObject = {};
  for (let i = 0; i < pairs.length; i++) {
    const pair = pairs[i];
    if (!isObject(pair) || typeof pair.key !== 'string')
      throw new Refused(`${field}[${i}]`, 'a key and a value', shown(pair));
    const { key } = pair;
    let read = otelValue(pair.value ?? null);
    const rest = leftover(pair, PAIR);
    if (rest !== undefined) read = { ...rest, value: read };
    // Twice the same key: both are kept.
    if (Object.hasOwn(attributes, key)) setOwn(attributes, key, { values: [attributes[key] ?? null, read] });
    else setOwn(attributes, key, read);
  }
  return attributes;
}

const PAIR = ['key', 'value'];

/** What a value of OTLP holds; one of no known form stays as it is. */
function otelValue(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  let key: string | undefined;
  for (const name in value) {
    if (key !== undefined) return value;
    key = name;
  }
  if (key === undefined) return null;
  const inner = value[key] ?? null;
  switch (key) {
    case 'stringValue':
    case 'string_value':
    case 'boolValue':
    case 'bool_value':
    case 'bytesValue':
    case 'bytes_value':
      return inner;
    case 'intValue':
    case 'int_value':
      return integer(inner);
    case 'doubleValue':
    case 'double_value':
      return typeof inner === 'string' && /^-?(NaN|Infinity)$/.test(inner) ? new ExactNumber(inner) : inner;
    case 'arrayValue':
    case 'array_value':
      return valuesIn(inner)?.map(otelValue) ?? value;
    case 'kvlistValue':
    case 'kvlist_value':
      return inner !== null && isObject(inner) && Object.keys(inner).length === 0
        ? {}
        : (kvlist(valuesIn(inner)) ?? value);
    default:
      return value;
  }
}

/** None is an empty object; null: it is no list of OTLP, and stays as it is. */
function valuesIn(list: JsonValue): readonly JsonValue[] | null {
  if (!isObject(list)) return null;
  const { values = [], ...rest } = list;
  return Array.isArray(values) && Object.keys(rest).length === 0 ? values : null;
}

function kvlist(pairs: readonly JsonValue[] | null): JsonValue | null {
  if (pairs === null) return null;
  return pairs.every((pair) => isObject(pair) && typeof pair.key === 'string') ? ofPairs(pairs, '') : [...pairs];
}

/** 64 bits travel as text. */
function integer(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new ExactNumber(value);
}
