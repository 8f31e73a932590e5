/** Character that stands for a byte in the vocabulary of a byte-level tokenizer, by byte: printable ones stand for themselves. */
export const BYTE_ALPHABET: readonly string[] = alphabet();

const BYTES_BY_CHARACTER: ReadonlyMap<string, number> = new Map(
  BYTE_ALPHABET.map((character, byte) => [character, byte]),
);

/** Bytes of a token as byte-level decoders read it: one with a character that stands for no byte is text as it is. */
export function bytesOfToken(token: string): Uint8Array {
  const bytes = bytesOfAlphabet(token);
  return bytes ?? new TextEncoder().encode(token);
}

/** null: a character stands for no byte. */
export function bytesOfAlphabet(token: string): Uint8Array | null {
  const bytes = new Uint8Array(token.length);
  let length = 0;
  for (const character of token) {
    const byte = BYTES_BY_CHARACTER.get(character);
    if (byte === undefined) return null;
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

function alphabet(): string[] {
  const isPrintable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : 256 + others++));
}
