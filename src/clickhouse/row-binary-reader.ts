import { decodeWtf8 } from './wtf8.ts';

const TWO_32 = 2 ** 32;
/** Texts up to this length are looked up before they are decoded. */
const LOOKED_UP = 96;
/** A power of two. */
const SLOTS = 2048;

/**
 * Reads what ClickHouse writes as RowBinary: the inverse of `RowBinaryWriter`. A value has no tag: callers read in the order and
 * types of the columns. Ids and codes repeat row after row: the bytes of a short text are compared with those of the last text of
 * the same hash, and only a new one is decoded, so that equal texts are mostly one string.
 */
export class RowBinaryReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  /** Where each slot's text begins; -1: there is none. */
  readonly #starts = new Int32Array(SLOTS).fill(-1);
  readonly #texts: string[] = new Array<string>(SLOTS).fill('');
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** Steps over `count` bytes; returns where they begin. */
  skip(count: number): number {
    const at = this.#at;
    this.#at = at + count;
    if (this.#at > this.#end) throw new RangeError('a row ends before its columns do');
    return at;
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at;
  }

  /**
   * Whether what comes next are the bytes of [from, to), which are stepped over then: the values are the same ones, since where a
   * value ends its own bytes say.
   */
  repeats(from: number, to: number): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    const length = to - from;
    if (length === 0 || at + length > this.#end) return false;
    // Ids differ at their ends.
    for (let index = length - 1; index >= 0; index--) if (bytes[from + index] !== bytes[at + index]) return false;
    this.#at = at + length;
    return true;
  }

  uint8(): number {
    return this.#byteAt(this.skip(1));
  }

  bool(): boolean {
    return this.uint8() !== 0;
  }

  int32(): number {
    const at = this.skip(4);
    return this.#byteAt(at) | (this.#byteAt(at + 1) << 8) | (this.#byteAt(at + 2) << 16) | (this.#byteAt(at + 3) << 24);
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  /** Below 2^53, as the writer takes care of. */
  int64(): number {
    const low = this.uint32();
    return low + this.int32() * TWO_32;
  }

  float64(): number {
    return this.#bytes.readDoubleLE(this.skip(8));
  }

  /** LEB128, as lengths are written. */
  varint(): number {
    let byte = this.uint8();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      byte = this.uint8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  string(): string {
    const length = this.varint();
    const at = this.skip(length);
    if (length === 0) return '';
    return length <= LOOKED_UP ? this.#lookUp(at, length) : this.#decode(at, length);
  }

  /** A text that no other row has: it is not looked up. */
  uniqueString(): string {
    const length = this.varint();
    return this.#decode(this.skip(length), length);
  }

  /** Bytes of a String column; the memory is the reader's own. */
  blob(): Buffer {
    const length = this.varint();
    const at = this.skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** An Array of fixed-size elements, as it is packed. The memory is the reader's own. */
  packed(elementBytes: number): Buffer {
    const length = this.varint() * elementBytes;
    const at = this.skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** A Nullable says first whether it is. */
  isNull(): boolean {
    return this.uint8() !== 0;
  }

  nullableString(): string | null {
    return this.isNull() ? null : this.string();
  }

  nullableInt32(): number | null {
    return this.isNull() ? null : this.int32();
  }

  nullableInt64(): number | null {
    return this.isNull() ? null : this.int64();
  }

  nullableFloat64(): number | null {
    return this.isNull() ? null : this.float64();
  }

  array<T>(read: (reader: RowBinaryReader) => T): T[] {
    const count = this.varint();
    const values: T[] = [];
    for (let index = 0; index < count; index++) values.push(read(this));
    return values;
  }

  map<T>(read: (reader: RowBinaryReader) => T): Record<string, T> {
    const count = this.varint();
    const entries: Array<[string, T]> = [];
    for (let index = 0; index < count; index++) entries.push([this.string(), read(this)]);
    // Not by assignment: a key may be `__proto__`.
    return Object.fromEntries(entries);
  }

  /** (Callers stay within the bytes: `skip` has looked.) */
  #byteAt(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  #lookUp(at: number, length: number): string {
    const bytes = this.#bytes;
    // The ends of an id tell it apart; most have one beginning.
    const hash =
      length * 31 +
      this.#byteAt(at) +
      this.#byteAt(at + (length >> 1)) * 7 +
      this.#byteAt(at + length - 1) * 257 +
      this.#byteAt(at + Math.max(0, length - 2)) * 61 +
      this.#byteAt(at + Math.max(0, length - 3)) * 17;
    const slot = hash & (SLOTS - 1);
    const start = this.#starts[slot] ?? -1;
    const held = this.#texts[slot] ?? '';
    // (Its length is in front of it, in one byte.)
    if (start >= 0 && bytes[start - 1] === length) {
      let index = length - 1;
      while (index >= 0 && bytes[start + index] === bytes[at + index]) index -= 1;
      if (index < 0) return held;
    }
    const text = this.#decode(at, length);
    this.#starts[slot] = at;
    this.#texts[slot] = text;
    return text;
  }

  #decode(at: number, length: number): string {
    const bytes = this.#bytes;
    const end = at + length;
    if (length < LOOKED_UP) {
      let index = at;
      while (index < end && (bytes[index] ?? 0) < 0x80) index += 1;
      if (index === end) return bytes.toString('latin1', at, end);
    }
    return decodeWtf8(bytes.subarray(at, end));
  }
}
