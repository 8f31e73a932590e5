import { isUtf8 } from 'node:buffer';

/** WTF-8: UTF-8 in which a lone surrogate is written as three bytes, so that any JavaScript string survives. */

/** Writes `value` at `at`; the caller has reserved Buffer.byteLength(value) bytes. */
export function writeWtf8(value: string, target: Uint8Array, at: number): void {
  let position = at;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) {
      target[position++] = code;
    } else if (code < 0x800) {
      target[position++] = 0xc0 | (code >> 6);
      target[position++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      target[position++] = 0xe0 | (code >> 12);
      target[position++] = 0x80 | ((code >> 6) & 0x3f);
      target[position++] = 0x80 | (code & 0x3f);
    } else {
      target[position++] = 0xf0 | (code >> 18);
      target[position++] = 0x80 | ((code >> 12) & 0x3f);
      target[position++] = 0x80 | ((code >> 6) & 0x3f);
      target[position++] = 0x80 | (code & 0x3f);
    }
  }
}

/**
 * Text from bytes. `surrogate` says what becomes of a lone surrogate's three bytes; bytes that are not even WTF-8 become
 * U+FFFD, as in any decoder.
 */
export function decodeWtf8(bytes: Buffer, surrogate: (codeUnit: number) => string = String.fromCharCode): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const parts: string[] = [];
  let from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 1)) {
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    parts.push(bytes.toString('utf8', from, at), surrogate(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)));
    from = at + 3;
  }
  parts.push(bytes.toString('utf8', from));
  return parts.join('');
}

/** In JSON text a lone surrogate travels as its escape: parsing gives it back, and writing the text out loses nothing. */
export function escapeSurrogate(codeUnit: number): string {
  return `\\u${codeUnit.toString(16)}`;
}
