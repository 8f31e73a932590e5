import { isAscii } from 'node:buffer';
import { textOfBytes } from '../../processors/model/text-bytes.ts';

/** Bytes looked at together. */
const BLOCK_BYTES = 4096;

/**
 * UTF-8 to text; null: it is not UTF-8. Reading UTF-8 costs a third of parsing it, and most of a line is ASCII even where its
 * messages are not: only the blocks that hold other characters are read as UTF-8. No character lies across the border of a
 * block that is all ASCII.
 */
export function lineText(bytes: Buffer): string | null {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const parts: string[] = [];
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    const ascii = isAsciiAt(bytes, from);
    do to += BLOCK_BYTES;
    while (to < bytes.length && isAsciiAt(bytes, to) === ascii);
    const run = bytes.subarray(from, to);
    const text = ascii ? run.toString('latin1') : textOfBytes(run);
    if (text === null) return null;
    parts.push(text);
  }
  return parts.join('');
}

function isAsciiAt(bytes: Buffer, from: number): boolean {
  return isAscii(bytes.subarray(from, from + BLOCK_BYTES));
}
