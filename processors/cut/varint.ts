/** Where reading is in bytes; beyond the end there are zeros, and `at` says so. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** Seven bits a byte, the lowest first, any whole number up to 2^53 − 1. */
export function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

export function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value += (byte & 0x7f) * scale;
    if ((byte & 0x80) === 0) return value;
  }
}
