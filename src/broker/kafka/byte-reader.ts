/** Kafka's primitive types, read one after the other; a RangeError past the end. */
export interface ByteReader {
  int8(): number;
  int16(): number;
  int32(): number;
  /** Offsets and ids fit a double. */
  int64(): number;
  uvarint(): number;
  string(): string | null;
  compactString(): string | null;
  /** As many items as an int32 says; null (-1) is none. */
  array<T>(read: () => T): T[];
  compactArray<T>(read: () => T): T[];
  /** Skips the tagged fields of a flexible version. */
  tags(): void;
  /** A view of the next bytes. */
  take(length: number): Buffer;
}

export function createByteReader(buffer: Buffer): ByteReader {
  let at = 0;

  function advance(bytes: number): number {
    const start = at;
    at += bytes;
    return start;
  }

  function items<T>(count: number, read: () => T): T[] {
    const found: T[] = [];
    for (let n = 0; n < count; n++) found.push(read());
    return found;
  }

  const reader: ByteReader = {
    int8: () => buffer.readInt8(advance(1)),
    int16: () => buffer.readInt16BE(advance(2)),
    int32: () => buffer.readInt32BE(advance(4)),
    int64: () => Number(buffer.readBigInt64BE(advance(8))),
    uvarint() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = buffer.readUInt8(advance(1));
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value >>> 0;
      }
    },
    string() {
      const length = reader.int16();
      return length < 0 ? null : reader.take(length).toString('utf8');
    },
    compactString() {
      const length = reader.uvarint() - 1;
      return length < 0 ? null : reader.take(length).toString('utf8');
    },
    array: (read) => items(reader.int32(), read),
    compactArray: (read) => items(reader.uvarint() - 1, read),
    tags() {
      for (let count = reader.uvarint(); count > 0; count--) {
        reader.uvarint();
        advance(reader.uvarint());
      }
    },
    take(length) {
      const start = advance(length);
      if (at > buffer.length) throw new RangeError(`${length} bytes wanted at ${start}, ${buffer.length} there`);
      return buffer.subarray(start, at);
    },
  };
  return reader;
}
