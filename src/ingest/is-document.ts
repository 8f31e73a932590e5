/**
 * Whether a file is one JSON document and not JSON Lines, by its first bytes. An array is; an object is when its first line is
 * not all of it and the next one goes on inside it, with a key: the second line of JSON Lines begins another object.
 */
export function isDocument(head: Buffer): boolean {
  const first = firstInk(head, 0);
  if (head[first] === OPEN_ARRAY) return true;
  if (head[first] !== OPEN_OBJECT) return false;
  const end = head.indexOf(NEWLINE, first);
  if (end === -1) return false;
  const next = head[firstInk(head, end)];
  return next === QUOTE || next === CLOSE_OBJECT;
}

/** Place of the first byte that is no white space and no byte order mark. */
function firstInk(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && BLANK.has(bytes[at] ?? 0)) at++;
  return at;
}

const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
