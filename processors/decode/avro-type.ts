import avsc, { type Schema, type Type } from 'avsc';
import { bytesOfText, textOfBytes } from '../model/text-bytes.ts';
import { createRecordWriter, type Write } from './avro-record-writer.ts';
import type { Tap } from './avro-tap.ts';

/**
 * The avsc type of a schema, with what avsc does not hold mended (each is a test):
 * - longs below -2^52 came back with another sign; here ±(2^53 - 1) is exact and anything beyond throws;
 * - bytes that are not UTF-8 became U+FFFD in a string; here lone surrogates are kept and the rest throws;
 * - the count of an array or map was believed: a few wrong bytes made it allocate or loop without end; an array of values that
 *   take no bytes, of which a few bytes may say any number, throws where it has any;
 * - a map's key `__proto__` was lost.
 */
export function avroTypeOf(schema: Schema): Type {
  return avsc.Type.forSchema(schema, { typeHook: exactType, omitRecordMethods: true });
}

const { ArrayType, IntType, LongType, MapType, RecordType, StringType } = avsc.types;
type Options = Parameters<NonNullable<NonNullable<Parameters<typeof avsc.Type.forSchema>[1]>['typeHook']>>[1];

function exactType(schema: Schema, options: Options): Type | undefined {
  const name = typeof schema === 'object' && 'type' in schema ? schema.type : schema;
  if (name === 'string') return EXACT_STRING;
  if (name === 'long') return EXACT_LONG;
  if (name === 'int') return EXACT_INT;
  if (name === 'array') return new BoundedArray(schema, options);
  if (name === 'map') return new BoundedMap(schema, options);
  if (name === 'record') return new WrittenRecord(schema, options);
  return undefined;
}

class ExactInt extends IntType {
  override _read(tap: Tap): number {
    const value = tap.readLong();
    if (value !== (value | 0)) throw new RangeError(`an int of more than 32 bits: ${value}`);
    return value;
  }
}

class ExactLong extends LongType {
  override _check(value: unknown, _flags: unknown, hook?: (value: unknown, type: Type) => void): boolean {
    const fits = Number.isSafeInteger(value);
    if (!fits && hook) hook(value, this);
    return fits;
  }

  /** avsc doubles the number before it looks at the sign, which leaves 53 bits from 2^52 on: here the sign bit goes first. */
  override _read(tap: Tap): number {
    const { buf } = tap;
    let byte = buf[tap.pos++] ?? 0;
    const negative = (byte & 1) === 1;
    let value = (byte & 0x7f) >> 1;
    for (let scale = 64; byte & 0x80; scale *= 128) {
      byte = buf[tap.pos++] ?? 0;
      value += (byte & 0x7f) * scale;
    }
    if (negative) value = -value - 1;
    if (!Number.isSafeInteger(value)) throw new RangeError('a long beyond 2^53 - 1');
    return value;
  }

  override _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`invalid "long": ${value}`);
    if (value >= -1_073_741_824 && value < 1_073_741_824) {
      tap.writeLong(value);
      return;
    }
    const { buf } = tap;
    let rest = value < 0 ? -value - 1 : value;
    buf[tap.pos++] = 0x80 | ((rest % 64) * 2) | (value < 0 ? 1 : 0);
    rest = Math.floor(rest / 64);
    for (; rest >= 128; rest = Math.floor(rest / 128)) buf[tap.pos++] = 0x80 | (rest % 128);
    buf[tap.pos++] = rest;
  }
}

class ExactString extends StringType {
  override _read(tap: Tap): string {
    return readText(tap);
  }

  override _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'string') throw new TypeError(`invalid "string": ${value}`);
    writeText(tap, value);
  }
}

/** avsc's own writer is slow where fields may be null. */
class WrittenRecord extends RecordType {
  override _createWriter(): Write {
    return createRecordWriter(this);
  }
}

class BoundedArray extends ArrayType {
  override _read(tap: Tap): unknown[] {
    const values: unknown[] = [];
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        const begin = tap.pos;
        values.push(this.itemsType._read(tap));
        if (tap.pos === begin) throw itemWithoutBytes();
      }
    }
    return values;
  }

  override _skip(tap: Tap): void {
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        const begin = tap.pos;
        this.itemsType._skip(tap);
        if (tap.pos === begin) throw itemWithoutBytes();
      }
    }
  }
}

class BoundedMap extends MapType {
  override _read(tap: Tap): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) setOwn(values, readText(tap), this.valuesType._read(tap));
    }
    return values;
  }

  override _write(tap: Tap, value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('invalid "map"');
    const entries = Object.entries(value);
    if (entries.length > 0) tap.writeLong(entries.length);
    for (const [key, item] of entries) {
      writeText(tap, key);
      this.valuesType._write(tap, item);
    }
    tap.writeLong(0);
  }

  override _skip(tap: Tap): void {
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        EXACT_STRING._skip(tap);
        this.valuesType._skip(tap);
      }
    }
  }
}

const EXACT_INT = new ExactInt();
const EXACT_LONG = new ExactLong();
const EXACT_STRING = new ExactString();

/** Items of the next block; 0 ends. An item takes a byte at least (itemWithoutBytes), so a count above the bytes left is not one. */
function readCount(tap: Tap): number {
  let count = tap.readLong();
  if (count < 0) {
    count = -count;
    tap.readLong();
  }
  if (count <= tap.buf.length - tap.pos) return count;
  tap._invalidate();
  return 0;
}

/** Of such items a few bytes can say any number, again and again. */
function itemWithoutBytes(): RangeError {
  return new RangeError('an array of values that take no bytes');
}

function readText(tap: Tap): string {
  const start = tap.pos;
  const text = tap.readString() ?? '';
  if (!text.includes('\ufffd')) return text;
  const end = tap.pos;
  tap.pos = start;
  const length = tap.readLong();
  tap.pos = end;
  const exact = textOfBytes(tap.buf.subarray(end - length, end));
  if (exact === null) throw new TypeError('a string that is not UTF-8');
  return exact;
}

/** Longer ones are faster written by Node than by a loop. */
const SHORT_TEXT = 48;

function writeText(tap: Tap, text: string): void {
  if (text.length <= SHORT_TEXT && writeAscii(tap, text)) return;
  if (text.isWellFormed()) tap.writeString(text);
  else tap.writeBytes(bytesOfText(text));
}

/** Ids and names are short and ASCII: one loop, and Node is not asked. False: it is not ASCII, and nothing is written. */
function writeAscii(tap: Tap, text: string): boolean {
  const { buf } = tap;
  let pos = tap.pos;
  buf[pos++] = text.length * 2;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    buf[pos++] = code;
  }
  tap.pos = pos;
  return true;
}

function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}
