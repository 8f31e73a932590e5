import { ExactNumber, isObject, type JsonObject, type JsonValue, setOwn } from './exact-number.ts';

/**
 * JSON text of a value. Lone surrogates stay escaped, integers keep their digits, and what JSON cannot say (NaN, an
 * infinity) becomes `{"$number": "NaN"}`, which no string can be mistaken for.
 */
export function jsonText(value: JsonValue): string {
  return holdsExactNumber(value) ? write(value) : JSON.stringify(value);
}

/** null when there is nothing to keep. Entries that are undefined are left out. */
export function extraJson(extra: Readonly<Record<string, JsonValue | undefined>>): string | null {
  for (const key in extra) {
    if (extra[key] === undefined) continue;
    const kept = unlessEmpty(extra);
    return kept === undefined ? null : jsonText(kept);
  }
  return null;
}

/** The entries that are there, or undefined when none is. */
export function unlessEmpty(rest: Readonly<Record<string, JsonValue | undefined>>): JsonObject | undefined {
  const kept: JsonObject = {};
  let any = false;
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    setOwn(kept, key, value);
    any = true;
  }
  return any ? kept : undefined;
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
  for (const key in value) {
    const item = value[key];
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
