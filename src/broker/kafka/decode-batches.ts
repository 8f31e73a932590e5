import { gunzipSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { RollstreamError } from '../../errors.ts';
import type { LogRecord } from '../port.ts';
import { BATCH_HEADER_BYTES } from './encode-batch.ts';
import type { Fetched } from './requests/fetch.ts';

const MAGIC = 2;
const GZIP = 1;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
/** What one compressed batch may become: more is not of a sane producer. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
const NO_HEADERS: LogRecord['headers'] = Object.freeze({});

export interface DecodedBatches {
  readonly records: LogRecord[];
  /** The offset after the last whole batch, of those too that hold no record to show: markers, aborted ones. */
  readonly next: number;
}

/**
 * The committed records from `from` on. Keys and values are views of the fetched bytes. What kafkajs leaves out is done here: the
 * checksum is verified, and the ends of batches are kept, so that a stretch of markers is passed and not mistaken for a loss.
 */
export function decodeBatches(topic: string, partition: number, from: number, fetched: Fetched): DecodedBatches {
  const { records: bytes } = fetched;
  const aborted = [...fetched.aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const aborting = new Set<number>();
  const found: LogRecord[] = [];
  let next = from;
  for (let start = 0; start + BATCH_HEADER_BYTES <= bytes.length; ) {
    const end = start + 12 + bytes.readInt32BE(start + 8);
    if (end > bytes.length) break; // cut by maxBytes
    const batch = bytes.subarray(start, end);
    start = end;
    const base = readLong(batch, 0);
    const attributes = batch.readInt16BE(21);
    const producerId = readLong(batch, 43);
    const last = base + batch.readInt32BE(23);
    check(batch, topic, partition, base);
    next = Math.max(next, last + 1);

    for (let open = aborted[0]; open !== undefined && open.firstOffset <= last; open = aborted[0]) {
      aborting.add(open.producerId);
      aborted.shift();
    }
    if ((attributes & CONTROL) !== 0) {
      // The marker that ends the producer's transaction; whatever it commits or aborts, what follows is another one.
      aborting.delete(producerId);
      continue;
    }
    if ((attributes & TRANSACTIONAL) !== 0 && aborting.has(producerId)) continue;
    const times =
      (attributes & LOG_APPEND_TIME) === 0
        ? { base: readLong(batch, 27), same: null }
        : { base: 0, same: readLong(batch, 35) };
    readRecords(
      unpacked(batch, attributes & CODEC_MASK, topic),
      batch.readInt32BE(57),
      { topic, partition, base, from, times },
      found,
    );
  }
  return { records: found, next };
}

interface BatchFacts {
  readonly topic: string;
  readonly partition: number;
  readonly base: number;
  readonly from: number;
  readonly times: { readonly base: number; readonly same: number | null };
}

function readRecords(bytes: Buffer, count: number, facts: BatchFacts, found: LogRecord[]): void {
  const { topic, partition, base, from, times } = facts;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 128;
    }
  };
  const field = (): Buffer | null => {
    const length = varint();
    if (length < 0) return null;
    at += length;
    return bytes.subarray(at - length, at);
  };
  for (let n = 0; n < count; n++) {
    const length = varint();
    const end = at + length;
    at++; // attributes
    const timestampMs = times.same ?? times.base;
    const delta = varint();
    const offset = base + varint();
    if (offset >= from) {
      const key = field();
      const value = field();
      const headers = readHeaders(varint(), field);
      found.push({
        topic,
        partition,
        offset,
        timestampMs: times.same === null ? timestampMs + delta : timestampMs,
        key,
        value,
        headers,
      });
    }
    at = end;
  }
}

function readHeaders(count: number, field: () => Buffer | null): LogRecord['headers'] {
  if (count === 0) return NO_HEADERS;
  const headers: Array<[string, string]> = [];
  for (let n = 0; n < count; n++) {
    const name = field();
    headers.push([name?.toString('utf8') ?? '', field()?.toString('utf8') ?? '']);
  }
  return Object.fromEntries(headers);
}

function check(batch: Buffer, topic: string, partition: number, offset: number): void {
  const facts = { topic, partition, offset };
  if (batch.readInt8(16) !== MAGIC) {
    throw new RollstreamError('RS_CONFIG', `${topic}/${partition} holds records in a format older than Kafka 0.11`, {
      facts,
    });
  }
  if (crc32c(batch.subarray(21)) !== batch.readUInt32BE(17)) {
    throw new RollstreamError(
      'RS_LOG_DAMAGED',
      `the records of ${topic}/${partition} from offset ${offset} on are damaged`,
      {
        facts,
      },
    );
  }
}

function unpacked(batch: Buffer, codec: number, topic: string): Buffer {
  const packed = batch.subarray(BATCH_HEADER_BYTES);
  if (codec === 0) return packed;
  if (codec === GZIP) return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  const name = CODECS[codec] ?? `codec ${codec}`;
  throw new RollstreamError(
    'RS_CONFIG',
    `topic ${topic} holds records packed with ${name}, which cannot be read: let its producers set compression.type to none or ` +
      'gzip, or the topic compression.type=uncompressed',
    { facts: { topic, codec: name, setting: 'compression.type' } },
  );
}

function readLong(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4);
}
