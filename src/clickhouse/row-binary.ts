import { writeWtf8 } from './wtf8.ts';

const TWO_32 = 2 ** 32;

/**
 * Writes ClickHouse's RowBinary into one growing buffer. A value has no tag: callers write in the order and types of the
 * columns. Strings become WTF-8 (lone surrogates keep their three bytes); packed little-endian arrays are copied whole.
 */
export class RowBinaryWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(initialBytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafe(initialBytes);
  }

  /** What was written so far; valid until the next write. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Room for `count` more bytes; returns where they begin. */
  #reserve(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#buffer.length) this.#grow(Math.max(needed, this.#buffer.length * 2));
    this.#length = needed;
    return at;
  }

  #grow(capacity: number): void {
    const larger = Buffer.allocUnsafe(capacity);
    larger.set(this.bytes);
    this.#buffer = larger;
  }

  /** A hint: so many bytes will be written in all. */
  expect(bytes: number): void {
    if (bytes > this.#buffer.length) this.#grow(Math.ceil(bytes));
  }

  /** (The buffer is read after the reservation, which may have replaced it.) */
  #copy(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#buffer.set(value, at);
  }

  uint8(value: number): void {
    const at = this.#reserve(1);
    this.#buffer[at] = value;
  }

  bool(value: boolean): void {
    this.uint8(value ? 1 : 0);
  }

  int32(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeInt32LE(value, at);
  }

  uint32(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeUInt32LE(value, at);
  }

  /** A safe integer; anything else would be rounded silently. */
  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`);
    const at = this.#reserve(8);
    const low = ((value % TWO_32) + TWO_32) % TWO_32;
    this.#buffer.writeUInt32LE(low, at);
    this.#buffer.writeInt32LE((value - low) / TWO_32, at + 4);
  }

  /** Row version: lane term × 2^48 + cause offset. Both bounds are checked, since an overflow would reorder owners. */
  version(term: number, offset: number): void {
    if (!(Number.isInteger(term) && term >= 0 && term < 2 ** 16)) throw new RangeError(`term out of range: ${term}`);
    if (!(Number.isInteger(offset) && offset >= 0 && offset < 2 ** 48)) {
      throw new RangeError(`offset out of range: ${offset}`);
    }
    const at = this.#reserve(8);
    this.#buffer.writeUInt32LE(offset % TWO_32, at);
    this.#buffer.writeUInt32LE(term * 2 ** 16 + Math.floor(offset / TWO_32), at + 4);
  }

  /** A version that is no lane's; what does not fit 64 bits throws. */
  uint64(value: bigint): void {
    const at = this.#reserve(8);
    this.#buffer.writeBigUInt64LE(value, at);
  }

  float64(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  /** LEB128, as lengths are written. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.uint8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.uint8(rest);
  }

  string(value: string): void {
    const length = value.length;
    if (length < 48 && this.#shortAscii(value)) return;
    // A lone surrogate is three bytes, in WTF-8 as in the U+FFFD that byteLength counts.
    const byteLength = Buffer.byteLength(value);
    this.varint(byteLength);
    const at = this.#reserve(byteLength);
    if (byteLength === length) this.#buffer.write(value, at, byteLength, 'latin1');
    else if (value.isWellFormed()) this.#buffer.write(value, at, byteLength, 'utf8');
    else writeWtf8(value, this.#buffer, at);
  }

  /** Ids and codes are short ASCII: a loop beats two native calls. False: not ASCII, nothing written. */
  #shortAscii(value: string): boolean {
    const length = value.length;
    const at = this.#reserve(length + 1);
    this.#buffer[at] = length;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        this.#length = at;
        return false;
      }
      this.#buffer[at + 1 + index] = code;
    }
    return true;
  }

  /** A String column from bytes as they are. */
  blob(value: Uint8Array): void {
    this.varint(value.length);
    this.#copy(value);
  }

  /** An Array of fixed-size elements that is packed little-endian already: token ids, logprobs, masks. */
  packed(value: Uint8Array, elementBytes: number): void {
    const count = value.length / elementBytes;
    if (!Number.isInteger(count)) throw new RangeError(`${value.length} bytes are no whole number of elements`);
    this.varint(count);
    this.#copy(value);
  }

  array<T>(values: readonly T[], write: (writer: RowBinaryWriter, value: T) => void): void {
    this.varint(values.length);
    for (const value of values) write(this, value);
  }

  nullable<T>(value: T | null | undefined, write: (writer: RowBinaryWriter, value: T) => void): void {
    if (value === null || value === undefined) {
      this.uint8(1);
    } else {
      this.uint8(0);
      write(this, value);
    }
  }

  map<T>(values: Readonly<Record<string, T>>, write: (writer: RowBinaryWriter, value: T) => void): void {
    const entries = Object.entries(values);
    this.varint(entries.length);
    for (const [key, value] of entries) {
      this.string(key);
      write(this, value);
    }
  }
}
