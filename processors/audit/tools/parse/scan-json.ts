import { readJsonScalar, type ScalarFault } from './read-json-scalar.ts';
import { readJsonString } from './read-json-string.ts';
import { skipBlank } from './skip-blank.ts';
import type { FaultKind } from './strict-call.ts';
import { isStrictObject, type StrictList, type StrictObject, type StrictValue } from './strict-value.ts';

/** Python's own decoder gives up about here. */
const MOST_DEPTH = 1_000;

export type JsonScan =
  | {
      readonly kind: 'ok';
      readonly value: StrictValue;
      /** First character after the value. */
      readonly end: number;
      readonly spans: JsonSpans;
    }
  | {
      readonly kind: 'fault';
      readonly fault: FaultKind;
      readonly at: number;
      /** What was read before it, a key without its value as null; undefined: nothing. */
      readonly seen: StrictValue | undefined;
      readonly spans: JsonSpans;
    };

/** Where the values of the outermost object stand. */
export type JsonSpans = ReadonlyMap<string, readonly [start: number, end: number]>;

/** Reads one JSON value of `[from, to)`, by RFC 8259 to the letter, with keys that occur once. No recursion: the text may be hostile. */
export function scanJson(text: string, from: number, to: number): JsonScan {
  const stack: Array<StrictList | StrictObject> = [];
  const keys: string[] = [];
  const spans = new Map<string, [number, number]>();
  let root: StrictValue | undefined;
  let at = skipBlank(text, from, to);

  const fault = (kind: FaultKind, place: number): JsonScan => {
    for (const [i, container] of stack.entries()) {
      const key = keys[i];
      if (container.kind === 'object' && key !== undefined && !container.entries.has(key))
        container.entries.set(key, null);
    }
    const outermost = spans.get(keys[0] ?? '');
    if (outermost !== undefined && stack.length > 0 && outermost[1] < 0) outermost[1] = place;
    return { kind: 'fault', fault: kind, at: place, seen: root, spans };
  };
  const attach = (value: StrictValue): void => {
    const top = stack.at(-1);
    if (top === undefined) root = value;
    else if (top.kind === 'list') top.items.push(value);
    else top.entries.set(keys[stack.length - 1] ?? '', value);
  };
  /** Reads `"key":`; a fault, or null. */
  const readKey = (object: StrictObject): JsonScan | null => {
    if (at >= to) return fault('unclosed_bracket', to);
    if (text.charCodeAt(at) !== QUOTE) return fault(keyFault(text, at), at);
    const read = readJsonString(text, at, to);
    if (read.fault !== null) return fault(read.fault, read.end);
    if (object.entries.has(read.value)) return fault('duplicate_key', at);
    keys[stack.length - 1] = read.value;
    at = skipBlank(text, read.end, to);
    if (at >= to) return fault('unclosed_bracket', to);
    if (text.charCodeAt(at) !== COLON) return fault(otherFault(text, at), at);
    at = skipBlank(text, at + 1, to);
    if (stack.length === 1) spans.set(read.value, [at, -1]);
    return null;
  };

  for (;;) {
    // A value begins here.
    if (at >= to) return fault('unclosed_bracket', to);
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (stack.length >= MOST_DEPTH) return fault('too_deep', at);
      const container: StrictList | StrictObject =
        code === OPEN_BRACE ? { kind: 'object', entries: new Map() } : { kind: 'list', items: [] };
      attach(container);
      stack.push(container);
      keys.length = stack.length - 1;
      at = skipBlank(text, at + 1, to);
      if (at < to && text.charCodeAt(at) === closerOf(container)) {
        at += 1;
        stack.pop();
      } else {
        if (container.kind === 'object') {
          const odd = readKey(container);
          if (odd !== null) return odd;
        }
        continue;
      }
    } else if (code === QUOTE) {
      const read = readJsonString(text, at, to);
      if (read.fault !== null) return fault(read.fault, read.end);
      attach(read.value);
      at = read.end;
    } else {
      const read: { value: StrictValue; end: number } | ScalarFault = readJsonScalar(text, at, to);
      if ('fault' in read) return fault(read.fault, read.at);
      attach(read.value);
      at = read.end;
    }
    // A value ended here; so may what holds it.
    for (;;) {
      const top = stack.at(-1);
      if (top === undefined) return { kind: 'ok', value: root ?? null, end: at, spans };
      if (stack.length === 1) {
        const span = spans.get(keys[0] ?? '');
        if (span !== undefined && span[1] < 0) span[1] = at;
      }
      at = skipBlank(text, at, to);
      if (at >= to) return fault('unclosed_bracket', to);
      const next = text.charCodeAt(at);
      if (next === closerOf(top)) {
        at += 1;
        stack.pop();
      } else if (next === COMMA) {
        const comma = at;
        at = skipBlank(text, at + 1, to);
        const after = text.charCodeAt(at);
        if (at < to && (after === CLOSE_BRACE || after === CLOSE_BRACKET)) return fault('trailing_comma', comma);
        if (isStrictObject(top)) {
          const odd = readKey(top);
          if (odd !== null) return odd;
        }
        break;
      } else return fault(otherFault(text, at), at);
    }
  }
}

/** The whole of a text is one JSON value, blanks aside. */
export function scanWholeJson(text: string): JsonScan {
  const scan = scanJson(text, 0, text.length);
  if (scan.kind === 'fault') return scan;
  const rest = skipBlank(text, scan.end, text.length);
  if (rest === text.length) return scan;
  const opens = text[rest] === '{' || text[rest] === '[';
  const fault = opens ? 'extra_data' : 'trailing_text';
  return { kind: 'fault', fault, at: rest, seen: scan.value, spans: scan.spans };
}

function closerOf(container: StrictList | StrictObject): number {
  return container.kind === 'object' ? CLOSE_BRACE : CLOSE_BRACKET;
}

function keyFault(text: string, at: number): FaultKind {
  const other = otherFault(text, at);
  if (other !== 'not_json') return other;
  return text[at] === "'" ? 'single_quotes' : 'unquoted_key';
}

/** Something else than the punctuation that has to stand here. */
function otherFault(text: string, at: number): FaultKind {
  const comment = text[at] === '#' || text.startsWith('//', at) || text.startsWith('/*', at);
  return comment ? 'comment' : 'not_json';
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
