/**
 * Text as UTF-8 that keeps lone surrogates, three bytes each (WTF-8). JSON may hold them and Node's own encoder would put
 * U+FFFD in their place, so that two different texts became one.
 */

export function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  return Buffer.concat(Array.from(text, (character) => Buffer.from(bytesOfCharacter(character))));
}

/** null: the bytes are neither UTF-8 nor UTF-8 with lone surrogates. */
export function textOfBytes(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  // U+FFFD is what Node writes for what it cannot read; only then is a closer look needed.
  if (!text.includes('\ufffd')) return text;
  let exact = '';
  let from = 0;
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1)) {
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    exact += bytes.toString('utf8', from, at) + String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    from = at + 3;
  }
  exact += bytes.toString('utf8', from);
  // Also refuses a pair written as two halves: its one right form has four bytes.
  return bytesOfText(exact).equals(bytes) ? exact : null;
}

function bytesOfCharacter(character: string): Buffer | number[] {
  if (character.isWellFormed()) return Buffer.from(character, 'utf8');
  const code = character.charCodeAt(0);
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
}
