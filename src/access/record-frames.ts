import { isUtf8 } from 'node:buffer';
import type { NewRecord } from '../broker/port.ts';

/** Media type of records on their way to the server. */
export const RECORDS_TYPE = 'application/vnd.rollstream.records';

/** A record as it travels: always a key and a value. */
export interface FramedRecord extends NewRecord {
  /** Bytes where it is not text. */
  readonly key: string | Buffer;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const LENGTH_BYTES = 4;

/** Key, headers (JSON) and value of each record, each behind its length as little-endian uint32. */
export function frameRecords(records: readonly FramedRecord[]): Buffer {
  return Buffer.concat(
    records.flatMap(({ key, headers, value }) =>
      [Buffer.from(key), Buffer.from(JSON.stringify(headers)), value].flatMap((part) => [lengthOf(part), part]),
    ),
  );
}

/** null: the bytes are no frames. */
export function unframeRecords(bytes: Buffer): FramedRecord[] | null {
  const records: FramedRecord[] = [];
  let at = 0;
  const part = (): Buffer | null => {
    if (at + LENGTH_BYTES > bytes.length) return null;
    const begin = at + LENGTH_BYTES;
    const end = begin + bytes.readUInt32LE(at);
    at = end;
    return end > bytes.length ? null : bytes.subarray(begin, end);
  };
  while (at < bytes.length) {
    const key = part();
    const headers = key === null ? null : headersOf(part());
    const value = headers === null ? null : part();
    if (key === null || headers === null || value === null) return null;
    records.push({ key: isUtf8(key) ? key.toString() : key, headers, value });
  }
  return records;
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeUInt32LE(part.length);
  return length;
}

function headersOf(bytes: Buffer | null): Record<string, string> | null {
  if (bytes === null) return null;
  try {
    const parsed: unknown = JSON.parse(bytes.toString());
    if (typeof parsed !== 'object' || parsed === null) return null;
    const entries = Object.entries(parsed);
    return entries.every(([, value]) => typeof value === 'string') ? Object.fromEntries(entries) : null;
  } catch {
    return null;
  }
}
