import { createHash } from 'node:crypto';
import type { SourceLine } from './line-reader.ts';

/** A file that is one JSON document is held whole, and several times while it is parsed: larger ones are refused. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

/** The whole file as one record; one that is too large is read past in bounded memory, as a line is. */
export async function readDocument(
  chunks: AsyncIterable<Buffer>,
  limitBytes = MAX_DOCUMENT_BYTES,
): Promise<SourceLine> {
  const hash = createHash('sha256');
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    length += chunk.length;
    if (length > limitBytes) parts = [];
    else parts.push(chunk);
  }
  return documentOf(length > limitBytes ? null : Buffer.concat(parts), length, hash.digest('hex'));
}

export function documentOf(bytes: Buffer | null, length: number, sha256: string): SourceLine {
  return { number: 1, offset: 0, bytes: bytes === null ? null : withoutMark(bytes), length, sha256, ended: true };
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}
