import { createHash, type Hash, hash } from 'node:crypto';

/** Longer lines are refused: they are read past in bounded memory. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

export interface SourceLine {
  /** From 1. */
  readonly number: number;
  /** Byte where the line begins, in the text (after gunzip). */
  readonly offset: number;
  /** Bytes without line end and byte order mark; null: longer than the limit. */
  readonly bytes: Buffer | null;
  readonly length: number;
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string;
  /** The file goes on after it: a line that no newline ends may be torn. */
  readonly ended: boolean;
}

/**
 * Cuts chunks into lines. A line that lies within a chunk is not copied. Blank lines are counted and left out. `first`: number
 * of the first line, where the chunks are of the middle of a file.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  limitBytes = MAX_LINE_BYTES,
  first = 1,
): AsyncGenerator<SourceLine> {
  const line = createLine(limitBytes, first);
  for await (const chunk of chunks) {
    let from = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, newline));
      const whole = line.finish(true);
      if (whole) yield whole;
      from = newline + 1;
    }
    line.add(chunk.subarray(from));
  }
  const last = line.finish(false);
  if (last) yield last;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** One record of JSON at a time, from the pieces that it comes in. */
export function createLine(limitBytes: number, first: number) {
  let number = first;
  let offset = 0;
  let length = 0;
  let parts: Buffer[] = [];
  /** Set once the line is over the limit: from then on only its hash is kept. */
  let overlong: Hash | null = null;

  function add(part: Buffer): void {
    length += part.length;
    if (overlong) overlong.update(part);
    else if (length > limitBytes) {
      overlong = createHash('sha256');
      for (const earlier of parts) overlong.update(earlier);
      overlong.update(part);
      parts = [];
    } else if (part.length > 0) parts.push(part);
  }

  function finish(ended: boolean): SourceLine | null {
    const place = { number, offset, ended };
    const found = overlong
      ? { ...place, bytes: null, length, sha256: overlong.digest('hex') }
      : wholeLine(place, parts);
    number++;
    offset += length + 1;
    length = 0;
    parts = [];
    overlong = null;
    return found;
  }

  return { add, finish };
}

function wholeLine(place: Pick<SourceLine, 'number' | 'offset' | 'ended'>, parts: Buffer[]): SourceLine | null {
  const [first] = parts;
  if (first === undefined) return null;
  let bytes = parts.length === 1 ? first : Buffer.concat(parts);
  if (bytes.at(-1) === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1);
  if (place.number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
  if (isBlank(bytes)) return null;
  const { number, offset, ended } = place;
  return { number, offset, bytes, length: bytes.length, sha256: hash('sha256', bytes), ended };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  return true;
}
