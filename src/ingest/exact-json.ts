import { ExactNumber, type JsonObject, type JsonValue, setOwn } from './exact-number.ts';
import { lineText } from './line-text.ts';
import { cutNumberLists, markedList } from './number-lists.ts';
import { MAX_DEPTH, parseSlowly } from './slow-json.ts';

export type ParsedJson =
  | { readonly kind: 'json'; readonly value: JsonValue; readonly duplicateKeys: readonly string[] }
  | { readonly kind: 'malformed'; readonly message: string };

/**
 * JSON as JSON.parse reads it, and at its speed, but nothing is changed silently: integers beyond 2^53 keep their digits,
 * bare NaN and Infinity (Python writes them) are kept as such, a key that comes twice is named. Ordinary lines take
 * JSON.parse and one walk over what came out; the slow parser is called only where that walk finds a reason.
 */
export function parseExact(text: string): ParsedJson {
  return parsedQuickly(text, NO_LISTS) ?? parseSlowly(text);
}

/** The same of bytes, of which long lists of numbers are read without JSON.parse; null: they are not UTF-8. */
export function parseExactBytes(bytes: Buffer): ParsedJson | null {
  const cut = cutNumberLists(bytes);
  if (cut !== null) {
    const text = lineText(cut.bytes);
    const parsed = text === null ? null : parsedQuickly(text, cut.lists);
    if (parsed !== null) return parsed;
  }
  const text = lineText(bytes);
  return text === null ? null : parseExact(text);
}

type Lists = readonly JsonValue[][];
const NO_LISTS: Lists = [];

/** null: there is a reason to look closer. `lists` have given their places in the text to marks. */
function parsedQuickly(text: string, lists: Lists): ParsedJson | null {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const seen: Seen = { keys: 0, inexact: false, tooDeep: false, lists, placed: 0 };
  walk(value, 0, seen);
  // A list that has no place stood in a string, or under a key that comes twice.
  if (seen.placed !== lists.length) return null;
  if (seen.tooDeep) return { kind: 'malformed', message: `nested deeper than ${MAX_DEPTH} levels` };
  // JSON.parse keeps the last of two equal keys: fewer keys came out than the text has.
  if (seen.inexact || seen.keys !== keysWritten(text)) return null;
  return { kind: 'json', value, duplicateKeys: [] };
}

interface Seen {
  keys: number;
  inexact: boolean;
  tooDeep: boolean;
  readonly lists: Lists;
  /** Lists that stand in their places. */
  placed: number;
}

/** The list that the value is the mark of. */
function listFor(value: JsonValue, depth: number, seen: Seen): JsonValue[] | undefined {
  if (seen.lists.length === 0 || !Array.isArray(value) || value.length !== 2) return undefined;
  const list = seen.lists[markedList(value)];
  if (list === undefined) return undefined;
  seen.placed++;
  if (depth >= MAX_DEPTH) seen.tooDeep = true;
  return list;
}

function walk(value: JsonValue, depth: number, seen: Seen): void {
  if (typeof value === 'number') {
    if (!isExact(value)) seen.inexact = true;
  } else if (Array.isArray(value)) {
    if (depth >= MAX_DEPTH) seen.tooDeep = true;
    else walkArray(value, depth + 1, seen);
  } else if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
    if (depth >= MAX_DEPTH) seen.tooDeep = true;
    else walkObject(value, depth + 1, seen);
  }
}

function walkArray(values: JsonValue[], depth: number, seen: Seen): void {
  for (let i = numbersFrom(values, seen); i < values.length; i++) {
    const item = values[i];
    // Flags of a mask are as many as tokens.
    if (item === undefined || typeof item === 'string' || typeof item === 'boolean') continue;
    const list = listFor(item, depth, seen);
    if (list === undefined) walk(item, depth, seen);
    else values[i] = list;
  }
}

/**
 * Looks at the numbers an array begins with; most of a line is arrays of nothing else. A loop of its own, by index: with the
 * items handed on to no function, doubles are compared where they lie.
 */
function numbersFrom(values: JsonValue[], seen: Seen): number {
  let exact = true;
  let i = 0;
  for (; i < values.length; i++) {
    const item = values[i];
    // A null is a token without a logprob.
    if (item === null) continue;
    if (typeof item !== 'number') break;
    exact &&= item <= Number.MAX_SAFE_INTEGER && item >= -Number.MAX_SAFE_INTEGER;
  }
  if (!exact) seen.inexact = true;
  return i;
}

function walkObject(value: JsonObject, depth: number, seen: Seen): void {
  for (const key in value) {
    seen.keys++;
    const item = value[key];
    if (item === undefined || typeof item === 'string') continue;
    const list = listFor(item, depth, seen);
    if (list === undefined) walk(item, depth, seen);
    else setOwn(value, key, list);
  }
}

/** Any integer that a double rounds comes out at 2^53 or beyond; what overflows comes out infinite. */
function isExact(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER;
}

/** Keys in the text, if it is written as JSON usually is. A wrong count (space before a colon) costs only a slow parse. */
function keysWritten(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH) keys++;
  }
  return keys;
}

const BACKSLASH = 0x5c;
