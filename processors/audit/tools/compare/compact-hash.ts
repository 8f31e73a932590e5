/**
 * Of a JSON text less the blanks that mean nothing: of two texts of which one is JSON, equal hashes are equal values. A blank
 * between two words or numbers stays, since without it what is no JSON could become some.
 */
export function compactHash(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  let before = 0;
  let isBlank = false;
  let isInString = false;
  let isEscaped = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (isEscaped) isEscaped = false;
      else if (code === BACKSLASH) isEscaped = true;
      else if (code === QUOTE) isInString = false;
    } else {
      if (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) {
        isBlank = true;
        continue;
      }
      if (isBlank && before !== 0 && !isMark(before) && !isMark(code)) {
        high = Math.imul(high ^ SPACE, 2654435761);
        low = Math.imul(low ^ SPACE, 1597334677);
      }
      isBlank = false;
      isInString = code === QUOTE;
    }
    before = code;
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** Ends what stands before it, and what stands after it begins anew. */
function isMark(code: number): boolean {
  return (
    code === QUOTE ||
    code === COMMA ||
    code === COLON ||
    code === OPEN_BRACKET ||
    code === CLOSE_BRACKET ||
    code === OPEN_BRACE ||
    code === CLOSE_BRACE
  );
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
