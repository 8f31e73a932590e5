import { createHash } from 'node:crypto';
import { SIGHT_BYTES } from './foreign-formats.ts';
import { type DeadLetter, MAX_LETTER_BYTES } from './import-sink.ts';
import type { SourceLine } from './line-reader.ts';

/** A whole file as one dead letter: its lines, each with a newline, or the document that it is, as far as they fit. */
export function createWholeLetter() {
  const hash = createHash('sha256');
  let kept: Buffer[] = [];
  let length = 0;
  let isWhole = true;

  return {
    add({ bytes, sha256, length: lineBytes }: SourceLine, isDocument = false): void {
      const text = bytes ?? Buffer.from(sha256);
      const end = isDocument ? NOTHING : NEWLINE;
      hash.update(text).update(end);
      length += lineBytes + end.length;
      if (bytes === null || length > MAX_LETTER_BYTES) isWhole = false;
      if (isWhole || kept.length === 0) kept.push(text, end);
      else if (length > MAX_LETTER_BYTES) kept = kept.slice(0, 2);
    },
    length: () => length,
    /** The beginning, to tell what it is. */
    sight: () => Buffer.concat(kept).subarray(0, SIGHT_BYTES),
    finish(): Pick<DeadLetter, 'bytes' | 'sha256' | 'length'> {
      return { bytes: isWhole ? Buffer.concat(kept) : null, sha256: hash.digest('hex'), length };
    },
  };
}

const NEWLINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);
