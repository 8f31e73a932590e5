/** First place where bytes are no UTF-8. */
export interface Utf8Fault {
  readonly at: number;
  /** Only that the bytes end within a character. */
  readonly isCut: boolean;
}

/** null: all of them are. */
export function utf8Fault(bytes: Uint8Array): Utf8Fault | null {
  const { length } = bytes;
  for (let at = 0; at < length; ) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const width = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return { at, isCut: false };
    for (let n = 1; n < width; n++) {
      if (at + n === length) return { at, isCut: true };
      const byte = bytes[at + n] ?? 0;
      if (n === 1 ? !mayFollow(lead, byte) : (byte & 0xc0) !== 0x80) return { at, isCut: false };
    }
    at += width;
  }
  return null;
}

/** Neither longer than needed, nor half of a pair, nor above U+10FFFF. */
function mayFollow(lead: number, byte: number): boolean {
  const from = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const to = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return byte >= from && byte <= to;
}
