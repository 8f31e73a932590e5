/** A value as the simulation compares it: bytes as latin1 text, so that nothing is lost or repaired. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Reads ClickHouse's RowBinary by the column's type, as the migrations write it. Independent of the writer: it checks it. */
export class RowBinaryReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  read(type: string): Value {
    const inner = /^(LowCardinality|Nullable|Array)\((.*)\)$/.exec(type);
    const [, wrapper = '', of = ''] = inner ?? [];
    if (wrapper === 'LowCardinality') return this.read(of);
    if (wrapper === 'Nullable') return this.#take(1).readUInt8() === 1 ? null : this.read(of);
    if (wrapper === 'Array') return Array.from({ length: this.#varint() }, () => this.read(of));
    const map = /^Map\((?:String|LowCardinality\(String\)), (.*)\)$/.exec(type)?.[1];
    if (map !== undefined)
      return Object.fromEntries(Array.from({ length: this.#varint() }, () => [this.#text(), this.read(map)]));
    return this.#scalar(type.replace(/\(.*/, ''));
  }

  #scalar(type: string): Value {
    switch (type) {
      case 'String':
        return this.#text();
      case 'Bool':
        return this.#take(1).readUInt8() === 1;
      case 'UInt8':
        return this.#take(1).readUInt8();
      case 'Int32':
        return this.#take(4).readInt32LE();
      case 'UInt32':
        return this.#take(4).readUInt32LE();
      case 'Int64':
      case 'DateTime64':
        return Number(this.#take(8).readBigInt64LE());
      case 'UInt64':
        // Versions: 2^48 × term, exact as text only.
        return this.#take(8).readBigUInt64LE().toString().padStart(20, '0');
      case 'Float32':
        return this.#take(4).readFloatLE();
      case 'Float64':
        return this.#take(8).readDoubleLE();
      default:
        throw new Error(`no reader for the type ${type}`);
    }
  }

  #text(): string {
    return this.#take(this.#varint()).toString('latin1');
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#take(1).readUInt8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  #take(count: number): Buffer {
    const from = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError('a row ends before its columns do');
    return this.#bytes.subarray(from, this.#at);
  }
}
