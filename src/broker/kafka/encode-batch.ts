import { crc32c } from '@node-rs/crc32';
import type { PreparedRecord } from '../prepared-record.ts';
import type { ProducerIdentity } from './requests/init-producer-id.ts';

/** Bytes of a batch before its records. */
export const BATCH_HEADER_BYTES = 61;
/** What is before the length of a batch counts: its base offset and the length itself. */
const UNCOUNTED_BYTES = 12;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const MAGIC = 2;
const TRANSACTIONAL = 0x10;

/** A record batch (format 2), uncompressed. Its sequence lets the leader recognise a batch that is sent again. */
export function encodeBatch(
  records: readonly PreparedRecord[],
  producer: ProducerIdentity & { readonly sequence: number; readonly transactional: boolean },
  timestampMs: number,
): Buffer {
  const bodies = records.map((record, delta) => bodyBytes(record, delta));
  const bytes = bodies.reduce((sum, body) => sum + varintBytes(body) + body, BATCH_HEADER_BYTES);
  const batch = Buffer.allocUnsafe(bytes);
  const timestamp = BigInt(timestampMs);
  batch.writeBigInt64BE(0n, 0);
  batch.writeInt32BE(bytes - UNCOUNTED_BYTES, 8);
  batch.writeInt32BE(-1, 12);
  batch.writeInt8(MAGIC, 16);
  batch.writeInt16BE(producer.transactional ? TRANSACTIONAL : 0, ATTRIBUTES_AT);
  batch.writeInt32BE(records.length - 1, 23);
  batch.writeBigInt64BE(timestamp, 27);
  batch.writeBigInt64BE(timestamp, 35);
  batch.writeBigInt64BE(BigInt(producer.id), 43);
  batch.writeInt16BE(producer.epoch, 51);
  batch.writeInt32BE(producer.sequence, 53);
  batch.writeInt32BE(records.length, 57);

  let at = BATCH_HEADER_BYTES;
  const varint = (value: number): void => {
    let rest = value < 0 ? 1 : value * 2; // zigzag; the one negative length is -1: null
    for (; rest > 0x7f; rest >>>= 7) batch[at++] = (rest & 0x7f) | 0x80;
    batch[at++] = rest;
  };
  const field = (value: Buffer | null): void => {
    if (value === null) {
      varint(-1);
      return;
    }
    varint(value.length);
    at += value.copy(batch, at);
  };
  for (const [delta, { key, value, headers }] of records.entries()) {
    varint(bodies[delta] ?? 0);
    batch[at++] = 0; // attributes
    batch[at++] = 0; // timestamp delta
    varint(delta);
    field(key);
    field(value);
    varint(headers.length);
    for (const [name, text] of headers) {
      field(name);
      field(text);
    }
  }
  batch.writeUInt32BE(crc32c(batch.subarray(ATTRIBUTES_AT)), CRC_AT);
  return batch;
}

function bodyBytes({ key, value, headers }: PreparedRecord, delta: number): number {
  let bytes = 2 + varintBytes(delta) + fieldBytes(key) + fieldBytes(value) + varintBytes(headers.length);
  for (const [name, text] of headers) bytes += fieldBytes(name) + fieldBytes(text);
  return bytes;
}

function fieldBytes(value: Buffer | null): number {
  return value === null ? 1 : varintBytes(value.length) + value.length;
}

/** Of a value that is not negative. */
function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value * 2; rest > 0x7f; rest >>>= 7) bytes++;
  return bytes;
}
