/** A value as the simulation compares it: bytes as latin1 text, so that nothing is lost or repaired. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Reads the next value of one type. */
export type ReadValue = (from: RowBinaryReader) => Value;

/** The bytes of rows in ClickHouse's RowBinary, from the first to the last. */
export class RowBinaryReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.#pass(1));
  }

  int32(): number {
    return this.#bytes.readInt32LE(this.#pass(4));
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#pass(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64LE(this.#pass(8));
  }

  uint64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#pass(8));
  }

  float32(): number {
    return this.#bytes.readFloatLE(this.#pass(4));
  }

  float64(): number {
    return this.#bytes.readDoubleLE(this.#pass(8));
  }

  text(): string {
    const length = this.varint();
    const from = this.#pass(length);
    return this.#bytes.toString('latin1', from, from + length);
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.uint8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  #pass(count: number): number {
    const from = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError('a row ends before its columns do');
    return from;
  }
}

/**
 * Reads values by the column's type, as the migrations write it. Independent of the writer: it checks it. A type is taken apart once:
 * a simulation reads millions of values of a few types.
 */
export function readerOf(type: string): ReadValue {
  const inner = /^(LowCardinality|Nullable|Array)\((.*)\)$/.exec(type);
  const [, wrapper = '', of = ''] = inner ?? [];
  if (wrapper === 'LowCardinality') return readerOf(of);
  if (wrapper === 'Nullable') {
    const read = readerOf(of);
    return (from) => (from.uint8() === 1 ? null : read(from));
  }
  if (wrapper === 'Array') return listOf(readerOf(of));
  const map = /^Map\((?:String|LowCardinality\(String\)), (.*)\)$/.exec(type)?.[1];
  if (map !== undefined) {
    const entries = listOf(pairOf(readerOf(map)));
    return (from) => Object.fromEntries(entries(from));
  }
  return scalar(type.replace(/\(.*/, ''));
}

function listOf<T>(read: (from: RowBinaryReader) => T): (from: RowBinaryReader) => T[] {
  return (from) => {
    const list: T[] = [];
    for (let left = from.varint(); left > 0; left--) list.push(read(from));
    return list;
  };
}

function pairOf(read: ReadValue): (from: RowBinaryReader) => [string, Value] {
  return (from) => [from.text(), read(from)];
}

function scalar(type: string): ReadValue {
  switch (type) {
    case 'String':
      return (from) => from.text();
    case 'Bool':
      return (from) => from.uint8() === 1;
    case 'UInt8':
      return (from) => from.uint8();
    case 'Int32':
      return (from) => from.int32();
    case 'UInt32':
      return (from) => from.uint32();
    case 'Int64':
    case 'DateTime64':
      return (from) => Number(from.int64());
    case 'UInt64':
      // Versions: 2^48 × term, exact as text only.
      return (from) => from.uint64().toString().padStart(20, '0');
    case 'Float32':
      return (from) => from.float32();
    case 'Float64':
      return (from) => from.float64();
    default:
      throw new Error(`no reader for the type ${type}`);
  }
}
