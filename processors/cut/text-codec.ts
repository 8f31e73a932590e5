import { type Cursor, pushVarint, readVarint } from './varint.ts';

/** No list is longer than what holds it: a count from foreign bytes must not allocate. */
export function readCount(cursor: Cursor): number {
  const count = readVarint(cursor);
  return count > cursor.bytes.length ? 0 : count;
}

export function pushText(bytes: number[], text: string): void {
  pushBytes(bytes, Buffer.from(text));
}

export function pushBytes(bytes: number[], value: Buffer): void {
  pushVarint(bytes, value.length);
  for (const byte of value) bytes.push(byte);
}

export function readText(cursor: Cursor): string {
  return readBytes(cursor).toString();
}

export function readBytes(cursor: Cursor): Buffer {
  const length = readVarint(cursor);
  const value = cursor.bytes.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return value;
}
