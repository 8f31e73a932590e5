import { RollstreamError } from '../errors.ts';
import type { NewRecord } from './port.ts';

/** A record as bytes, checked, before it has an offset. */
export interface PreparedRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: ReadonlyArray<readonly [name: Buffer, value: Buffer]>;
  /** What the limit counts: bytes of key, value and headers. */
  readonly payloadBytes: number;
}

const NO_HEADERS: PreparedRecord['headers'] = [];

/** UTF-8, refusing what UTF-8 cannot hold: a lone surrogate would silently come back as U+FFFD. */
function toUtf8(text: string, what: string): Buffer {
  if (!text.isWellFormed()) {
    throw new RollstreamError('RS_INPUT_REFUSED', `${what} holds a lone surrogate, which UTF-8 cannot encode`);
  }
  return Buffer.from(text, 'utf8');
}

/** Throws RS_RECORD_TOO_LARGE or RS_INPUT_REFUSED: a refused record must not have been written in part. */
export function prepareRecord(topic: string, record: NewRecord, maxRecordBytes: number): PreparedRecord {
  const key = typeof record.key === 'string' ? toUtf8(record.key, 'the record key') : record.key;
  const headers =
    record.headers === undefined
      ? NO_HEADERS
      : Object.entries(record.headers).map(
          ([name, value]) => [toUtf8(name, 'a header name'), toUtf8(value, `header ${name}`)] as const,
        );
  let payloadBytes = (key?.length ?? 0) + (record.value?.length ?? 0);
  for (const [name, value] of headers) {
    payloadBytes += name.length + value.length;
  }
  if (payloadBytes > maxRecordBytes) {
    throw new RollstreamError(
      'RS_RECORD_TOO_LARGE',
      `a record for ${topic} has ${payloadBytes} bytes; the limit is ${maxRecordBytes}`,
      { facts: { topic, bytes: payloadBytes, limit: maxRecordBytes } },
    );
  }
  return { key, value: record.value, headers, payloadBytes };
}
