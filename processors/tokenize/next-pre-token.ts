import { CHAR_CLASSES, KIND_MASK, LETTER, NUMBER, OTHER, SPACE } from './char-classes.ts';

/** End of the pre-token that begins at `from`, of valid UTF-8 up to `end`. */
export type NextPreToken = (bytes: Uint8Array, from: number, end: number) => number;

const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const APOSTROPHE = 0x27;

/**
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
 * of Qwen2 to Qwen3 (digits 1) and of Llama-3 (digits 3), by hand: it never steps back, so that
 * no input is slow. (The library ends the process after 10,000,000 steps back, one for each blank of a run.)
 */
export function createNextPreToken(digits: number): NextPreToken {
  return function nextPreToken(bytes, from, end) {
    const first = bytes[from] ?? 0;
    const kind = kindAt(bytes, from);
    if (kind === LETTER) return endOf(LETTER, bytes, from, end);
    if (kind === NUMBER) return endOfDigits(bytes, from, end, digits);
    if (first === APOSTROPHE) {
      const contraction = endOfContraction(bytes, from, end);
      if (contraction > 0) return contraction;
    }
    const second = from + widthAt(bytes, from);
    if (first !== LF && first !== CR && second < end && kindAt(bytes, second) === LETTER)
      return endOf(LETTER, bytes, second, end);
    if (kind === OTHER) return endOfLines(bytes, endOf(OTHER, bytes, from, end), end);
    if (first === BLANK && second < end && kindAt(bytes, second) === OTHER)
      return endOfLines(bytes, endOf(OTHER, bytes, second, end), end);
    return endOfSpace(bytes, from, end, true);
  };
}

/** `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, of GPT-2. */
export const nextPreTokenOfGpt2: NextPreToken = (bytes, from, end) => {
  const first = bytes[from] ?? 0;
  if (first === APOSTROPHE) {
    const contraction = endOfLowerContraction(bytes, from, end);
    if (contraction > 0) return contraction;
  }
  const at = first === BLANK && from + 1 < end ? from + 1 : from;
  const kind = kindAt(bytes, at);
  return kind === SPACE ? endOfSpace(bytes, from, end, false) : endOf(kind, bytes, at, end);
};

function codeAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return lead;
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = (bytes[at + 2] ?? 0) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] ?? 0) & 0x3f);
}

function widthAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

function kindAt(bytes: Uint8Array, at: number): number {
  return (CHAR_CLASSES[codeAt(bytes, at)] ?? OTHER) & KIND_MASK;
}

function endOf(kind: number, bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && kindAt(bytes, at) === kind) at += widthAt(bytes, at);
  return at;
}

function endOfDigits(bytes: Uint8Array, from: number, end: number, digits: number): number {
  let at = from;
  for (let n = 0; n < digits && at < end && kindAt(bytes, at) === NUMBER; n++) at += widthAt(bytes, at);
  return at;
}

function endOfLines(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] === LF || bytes[at] === CR)) at += 1;
  return at;
}

/** `\s*[\r\n]+` where lines are told apart, then `\s+(?!\S)`, then `\s+`. */
function endOfSpace(bytes: Uint8Array, from: number, end: number, lines: boolean): number {
  let at = from;
  let last = from;
  let line = 0;
  while (at < end && kindAt(bytes, at) === SPACE) {
    last = at;
    at += widthAt(bytes, at);
    if (bytes[last] === LF || bytes[last] === CR) line = at;
  }
  if (lines && line > 0) return line;
  return at === end || last === from ? at : last;
}

/** 0: none. */
function endOfContraction(bytes: Uint8Array, from: number, end: number): number {
  // Folding case makes s of U+017F too.
  if (from + 2 < end && bytes[from + 1] === 0xc5 && bytes[from + 2] === 0xbf) return from + 3;
  return contractionOf(from, end, (bytes[from + 1] ?? 0) | 0x20, (bytes[from + 2] ?? 0) | 0x20);
}

function endOfLowerContraction(bytes: Uint8Array, from: number, end: number): number {
  return contractionOf(from, end, bytes[from + 1] ?? 0, bytes[from + 2] ?? 0);
}

function contractionOf(from: number, end: number, first: number, second: number): number {
  if (from + 1 >= end) return 0;
  // s, t, m, d
  if (first === 0x73 || first === 0x74 || first === 0x6d || first === 0x64) return from + 2;
  if (from + 2 >= end) return 0;
  // re, ve, ll
  const isTwo = ((first === 0x72 || first === 0x76) && second === 0x65) || (first === 0x6c && second === 0x6c);
  return isTwo ? from + 3 : 0;
}
