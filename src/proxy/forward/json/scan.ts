/** Where things end in the bytes of a JSON text. Nothing is decoded: what is cut or added later leaves all other bytes as they were. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const PLACED = [QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET];

/** Not there, torn, or no JSON. */
export const NOWHERE = -1;

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** `from`: the opening quote. Behind the closing one. */
export function endOfString(bytes: Uint8Array, from: number): number {
  const soon = Math.min(bytes.length, from + SHORT_STRING);
  for (let at = from + 1; at < soon; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) return endOfLongString(bytes, at);
  }
  return endOfLongString(bytes, soon);
}

/** To look for a quote is faster than to look at each byte, once there are many. */
const SHORT_STRING = 32;

/** `from`: within the string; what stands before it escapes nothing. */
function endOfLongString(bytes: Uint8Array, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let first = quote;
    while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
  return NOWHERE;
}

/** `from`: the first byte of a value. Behind its last one. */
export function endOfValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return endOfString(bytes, from);
  return first === OPEN_BRACE || first === OPEN_BRACKET ? endOfContainer(bytes, from) : endOfScalar(bytes, from);
}

/** Of each byte: 1 where it is neither a quote nor a bracket. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => (PLACED.includes(byte) ? 0 : 1));

function endOfContainer(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = from; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (IS_PLAIN[byte] === 1) continue;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end === NOWHERE) return NOWHERE;
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return NOWHERE;
}

/** A number or a word, whatever it is: NaN is written by some. */
function endOfScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) break;
    if (byte === QUOTE || byte === 0x3a || byte === OPEN_BRACE || byte === OPEN_BRACKET) return NOWHERE;
  }
  return at === from ? NOWHERE : at;
}

/** Told of each member: where its value ends, or NOWHERE, which ends the scan. */
type VisitMember = (key: string, keyStart: number, valueStart: number) => number;

/** Behind the closing brace, or NOWHERE. `from`: the opening one. */
export function scanObject(bytes: Buffer, from: number, visit: VisitMember): number {
  if (bytes[from] !== OPEN_BRACE) return NOWHERE;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return NOWHERE;
    const keyEnd = endOfString(bytes, at);
    if (keyEnd === NOWHERE) return NOWHERE;
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== 0x3a) return NOWHERE;
    const end = visit(keyOf(bytes, at, keyEnd), at, skipSpace(bytes, colon + 1));
    if (end === NOWHERE) return NOWHERE;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return NOWHERE;
    at = skipSpace(bytes, at + 1);
  }
}

/** The same of an array and its elements. `from`: the opening bracket. */
export function scanArray(bytes: Buffer, from: number, visit: (start: number) => number): number {
  if (bytes[from] !== OPEN_BRACKET) return NOWHERE;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    const end = visit(at);
    if (end === NOWHERE) return NOWHERE;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    if (bytes[at] !== COMMA) return NOWHERE;
    at = skipSpace(bytes, at + 1);
  }
}

export function isNull(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 4 && bytes[start] === 0x6e && bytes[start + 1] === 0x75;
}

function keyOf(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    return raw;
  }
}
