import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { asText, jsonText } from '../json-text.ts';

/** So many numbers travel as they are. */
const FEW = 16;

/**
 * Numbers beside the tokens, as many as they are, that no event has a field for: an event must not grow by them. Few of them, or
 * one and the same all over, are kept; else they stay in the source, and their place, number and SHA-256 (as little-endian
 * float64 each, or of the JSON text where they are not all numbers) travel. undefined: there is nothing.
 */
export function keptNumbers(value: JsonValue | undefined, location: string, field: string): JsonValue | undefined {
  if (!Array.isArray(value) || value.length <= FEW) return value ?? undefined;
  const [first] = value;
  if (typeof first === 'number' && value.every((item) => item === first)) return { all: first, count: value.length };
  return { uri: `${location}#${field}`, ...digestOf(value), count: value.length };
}

/** Data that is large whatever it holds, by place and SHA-256; undefined: there is none. */
export function keptAway(value: JsonValue | undefined, location: string, field: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const text = asText(value);
  return { uri: `${location}#${field}`, sha256: sha256(text), length: text.length };
}

function digestOf(values: readonly JsonValue[]): JsonObject {
  const floats = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== 'number') return { sha256: sha256(jsonText([...values])), of: 'json' };
    floats[i] = value;
  }
  return { sha256: sha256(Buffer.from(floats.buffer)), of: 'float64' };
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
