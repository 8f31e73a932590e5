import { crc32 } from 'node:zlib';
import type { PreparedRecord } from '../prepared-record.ts';

/**
 * A chunk is what one LMDB value holds: consecutive records of one partition, appended at one time.
 *
 *     u8 version (1) | u32 crc32 of the key and of all that follows | f64 append time | varint count | records
 *     record: varint 0 or key length + 1, key | the same for the value | varint headers, each: length, name, length, value
 *
 * Many records a value, because LMDB rounds a value above 2 KB up to whole pages: alone, 4.3 KB would cost 8 KB.
 */
const VERSION = 1;
const CRC_AT = 1;
const TIME_AT = 5;
const BODY_AT = 13;

export interface DecodedRecord {
  /** Its place in the chunk: offset − the chunk's first offset. */
  readonly index: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DecodedChunk {
  readonly timestampMs: number;
  readonly count: number;
  /** Parsed as it is iterated; keys and values are views of the chunk's bytes. */
  readonly records: Iterable<DecodedRecord>;
}

/** What is wrong with stored bytes; the reader adds where they are. */
export class ChunkDamage extends Error {}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** The bytes that a record takes in a chunk. */
export function encodedLength(record: PreparedRecord): number {
  const keyBytes = record.key?.length ?? -1;
  const valueBytes = record.value?.length ?? -1;
  let length = varintLength(keyBytes + 1) + varintLength(valueBytes + 1) + varintLength(record.headers.length);
  for (const [name, value] of record.headers) {
    length += varintLength(name.length) + varintLength(value.length);
  }
  return length + record.payloadBytes;
}

/** `key` enters the checksum, so that a value found under another key is not taken for its own. */
export function encodeChunk(records: readonly PreparedRecord[], timestampMs: number, key: Buffer): Buffer {
  let length = BODY_AT + varintLength(records.length);
  for (const record of records) length += encodedLength(record);
  const chunk = Buffer.allocUnsafe(length);
  let at = BODY_AT;
  const putVarint = (value: number): void => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) chunk[at++] = (rest % 0x80) | 0x80;
    chunk[at++] = rest;
  };
  const putBytes = (bytes: Buffer): void => {
    at += bytes.copy(chunk, at);
  };
  const putNullable = (bytes: Buffer | null): void => {
    putVarint(bytes === null ? 0 : bytes.length + 1);
    if (bytes !== null) putBytes(bytes);
  };
  putVarint(records.length);
  for (const record of records) {
    putNullable(record.key);
    putNullable(record.value);
    putVarint(record.headers.length);
    for (const [name, value] of record.headers) {
      putVarint(name.length);
      putBytes(name);
      putVarint(value.length);
      putBytes(value);
    }
  }
  chunk[0] = VERSION;
  chunk.writeDoubleLE(timestampMs, TIME_AT);
  chunk.writeUInt32LE(checksum(chunk, key), CRC_AT);
  return chunk;
}

function checksum(chunk: Buffer, key: Buffer): number {
  return crc32(chunk.subarray(TIME_AT), crc32(key));
}

/** Throws ChunkDamage for bytes that encodeChunk did not write under this key. */
export function decodeChunk(chunk: Buffer, key: Buffer): DecodedChunk {
  if (chunk.length <= BODY_AT) throw new ChunkDamage(`${chunk.length} bytes are too few for a chunk`);
  if (chunk[0] !== VERSION) throw new ChunkDamage(`format ${chunk[0]}, this build reads format ${VERSION}`);
  if (chunk.readUInt32LE(CRC_AT) !== checksum(chunk, key)) throw new ChunkDamage('the checksum does not fit the bytes');
  const [count, recordsAt] = readVarint(chunk, BODY_AT);
  return {
    timestampMs: chunk.readDoubleLE(TIME_AT),
    count,
    records: { [Symbol.iterator]: () => parseRecords(chunk, count, recordsAt) },
  };
}

function readVarint(chunk: Buffer, start: number): [value: number, next: number] {
  let value = 0;
  let scale = 1;
  for (let at = start; ; at++) {
    const byte = chunk.readUInt8(at);
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, at + 1];
    scale *= 0x80;
  }
}

function* parseRecords(chunk: Buffer, count: number, recordsAt: number): Generator<DecodedRecord, void> {
  let at = recordsAt;
  const varint = (): number => {
    const [value, next] = readVarint(chunk, at);
    at = next;
    return value;
  };
  const bytes = (length: number): Buffer => {
    at += length;
    return chunk.subarray(at - length, at);
  };
  const nullable = (): Buffer | null => {
    const lengthPlusOne = varint();
    return lengthPlusOne === 0 ? null : bytes(lengthPlusOne - 1);
  };
  for (let index = 0; index < count; index++) {
    const key = nullable();
    const value = nullable();
    const headerCount = varint();
    yield { index, key, value, headers: headerCount === 0 ? NO_HEADERS : parseHeaders(headerCount, varint, bytes) };
  }
}

function parseHeaders(
  count: number,
  varint: () => number,
  bytes: (length: number) => Buffer,
): Readonly<Record<string, string>> {
  const headers: Array<[string, string]> = [];
  for (let left = count; left > 0; left--) {
    const name = bytes(varint()).toString('utf8');
    headers.push([name, bytes(varint()).toString('utf8')]);
  }
  return Object.fromEntries(headers);
}
