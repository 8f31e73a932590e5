const FIRST_BYTES = 256;

/** Kafka's primitive types, written one after the other. "Compact" ones are those of the protocol's flexible versions. */
export interface ByteWriter {
  int8(value: number): ByteWriter;
  int16(value: number): ByteWriter;
  int32(value: number): ByteWriter;
  int64(value: number): ByteWriter;
  uvarint(value: number): ByteWriter;
  string(value: string | null): ByteWriter;
  compactString(value: string | null): ByteWriter;
  /** No tagged field: what flexible versions end each structure with. */
  tags(): ByteWriter;
  bytes(): Buffer;
}

export function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let at = 0;

  function grow(bytes: number): number {
    if (at + bytes > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, at + bytes));
      buffer.copy(larger, 0, 0, at);
      buffer = larger;
    }
    const start = at;
    at += bytes;
    return start;
  }

  const writer: ByteWriter = {
    int8(value) {
      const start = grow(1);
      buffer.writeInt8(value, start);
      return writer;
    },
    int16(value) {
      const start = grow(2);
      buffer.writeInt16BE(value, start);
      return writer;
    },
    int32(value) {
      const start = grow(4);
      buffer.writeInt32BE(value, start);
      return writer;
    },
    int64(value) {
      const start = grow(8);
      buffer.writeBigInt64BE(BigInt(value), start);
      return writer;
    },
    uvarint(value) {
      for (let rest = value; ; rest >>>= 7) {
        const start = grow(1);
        if (rest < 0x80) {
          buffer[start] = rest;
          return writer;
        }
        buffer[start] = (rest & 0x7f) | 0x80;
      }
    },
    string(value) {
      if (value === null) return writer.int16(-1);
      const bytes = Buffer.from(value, 'utf8');
      writer.int16(bytes.length);
      const start = grow(bytes.length);
      bytes.copy(buffer, start);
      return writer;
    },
    compactString(value) {
      if (value === null) return writer.uvarint(0);
      const bytes = Buffer.from(value, 'utf8');
      writer.uvarint(bytes.length + 1);
      const start = grow(bytes.length);
      bytes.copy(buffer, start);
      return writer;
    },
    tags: () => writer.uvarint(0),
    bytes: () => buffer.subarray(0, at),
  };
  return writer;
}
