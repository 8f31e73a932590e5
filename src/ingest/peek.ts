import { MAX_LINE_BYTES } from './line-reader.ts';

/**
 * Bytes of a file that are looked at before it is read, as far as it has them and up to the end of the first line: as many as a
 * line may have, since a document that is one line is taken for one only where all of it was seen.
 */
export const PEEK_BYTES = MAX_LINE_BYTES + 1024 * 1024;

export interface Peeked {
  readonly head: Buffer;
  /** The head is all there is, and one line. */
  readonly isOneLine: boolean;
  /** All of it, the head included. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** Looks at the beginning of a stream without taking it: enough for its first line and the beginning of the second. */
export async function peek(chunks: AsyncIterable<Buffer>, limitBytes = PEEK_BYTES): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  const lines = createSecondLine();
  let bytes = 0;
  let done = false;
  while (!done && bytes < limitBytes && !lines.isThere()) {
    const next = await iterator.next();
    if (next.done) done = true;
    else {
      seen.push(next.value);
      bytes += next.value.length;
      lines.see(next.value);
    }
  }
  const head = seen.length === 1 && seen[0] ? seen[0] : Buffer.concat(seen);
  return { head, isOneLine: done && !lines.isThere(), chunks: rest(seen, iterator) };
}

async function* rest(seen: readonly Buffer[], iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* seen;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
}

/** Whether there is something behind the end of the first line that is not blank; each chunk is looked at once. */
function createSecondLine() {
  let isInked = false;
  let isBehind = false;
  let isThere = false;

  function see(chunk: Buffer): void {
    let at = 0;
    if (!isInked) {
      while (at < chunk.length && isBlank(chunk[at])) at++;
      isInked = at < chunk.length;
    }
    if (isInked && !isBehind) {
      const end = chunk.indexOf(NEWLINE, at);
      isBehind = end !== -1;
      at = isBehind ? end : chunk.length;
    }
    while (at < chunk.length && isBlank(chunk[at])) at++;
    if (at < chunk.length) isThere = true;
  }

  return { see, isThere: () => isThere };
}

const NEWLINE = 0x0a;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;
}
