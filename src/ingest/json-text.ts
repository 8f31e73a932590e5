import { ExactNumber, isObject, type JsonObject, type JsonValue, setOwn } from './exact-number.ts';

/**
 * JSON text of a value. Lone surrogates stay escaped, integers keep their digits, and what JSON cannot say (NaN, an
 * infinity) becomes `{"$number": "NaN"}`, which no string can be mistaken for.
 */
export function jsonText(value: JsonValue): string {
  return holdsExactNumber(value) ? write(value) : JSON.stringify(value);
}

/** Entries of an object that may be left out: undefined is not there. */
export type Entries = Readonly<Record<string, JsonValue | undefined>>;

/** Text as it is, anything else as its JSON: what a source may write either way. */
export function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** They say the same, keys in the same order. */
export function isSameJson(a: JsonValue, b: JsonValue): boolean {
  return a === b || jsonText(a) === jsonText(b);
}

/** null when there is nothing to keep. Entries that are undefined are left out. */
export function extraJson(extra: Entries): string | null {
  for (const key in extra) {
    if (extra[key] === undefined) continue;
    if (!valuesHoldExactNumber(extra)) return JSON.stringify(extra);
    const kept = unlessEmpty(extra);
    return kept === undefined ? null : write(kept);
  }
  return null;
}

/**
 * `{...first, ...second, …}`: later entries go before earlier ones. A literal that begins with a spread costs a microsecond in
 * Node 20, and records are read with a dozen of them: in what is run for each message this is used.
 */
export function joined(...parts: ReadonlyArray<JsonObject | undefined>): JsonObject;
export function joined(...parts: ReadonlyArray<Entries | undefined>): Record<string, JsonValue | undefined>;
export function joined(...parts: ReadonlyArray<Entries | undefined>): Record<string, JsonValue | undefined> {
  const all: Record<string, JsonValue | undefined> = {};
  for (const part of parts) {
    for (const key in part) {
      if (key === '__proto__') Object.defineProperty(all, key, { value: part[key], ...OWN });
      else all[key] = part[key];
    }
  }
  return all;
}

const OWN = { enumerable: true, configurable: true, writable: true };

/** The entries that are there, or undefined when none is. */
export function unlessEmpty(rest: Entries): JsonObject | undefined {
  let kept: JsonObject | undefined;
  for (const key in rest) {
    const value = rest[key];
    if (value === undefined) continue;
    kept ??= {};
    setOwn(kept, key, value);
  }
  return kept;
}

/** Entries of an object whose keys are not among the known ones; undefined: there are none, which is the rule. */
export function leftover(object: JsonObject, known: readonly string[]): JsonObject | undefined {
  let rest: JsonObject | undefined;
  for (const key in object) {
    const value = object[key];
    if (value === undefined || known.includes(key)) continue;
    rest ??= {};
    setOwn(rest, key, value);
  }
  return rest;
}

function holdsExactNumber(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(holdsExactNumber);
  return valuesHoldExactNumber(value);
}

function valuesHoldExactNumber(object: Entries): boolean {
  for (const key in object) {
    const item = object[key];
    if (item !== undefined && holdsExactNumber(item)) return true;
  }
  return false;
}

function write(value: JsonValue): string {
  if (value instanceof ExactNumber) return value.isInteger ? value.text : `{"$number":${JSON.stringify(value.text)}}`;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`)
    .join(',')}}`;
}
