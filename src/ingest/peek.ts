/** Bytes of a file that are looked at before it is read, as far as it has them and up to the end of the second line. */
export const PEEK_BYTES = 4 * 1024 * 1024;

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
  let bytes = 0;
  let done = false;
  while (!done && bytes < limitBytes && !hasSecondLine(seen)) {
    const next = await iterator.next();
    if (next.done) done = true;
    else {
      seen.push(next.value);
      bytes += next.value.length;
    }
  }
  const head = seen.length === 1 && seen[0] ? seen[0] : Buffer.concat(seen);
  return { head, isOneLine: done && !hasSecondLine(seen), chunks: rest(seen, iterator) };
}

async function* rest(seen: readonly Buffer[], iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* seen;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
}

/** There is something behind the end of the first line that is not blank. */
function hasSecondLine(seen: readonly Buffer[]): boolean {
  let isBehind = false;
  let isInked = false;
  for (const chunk of seen) {
    for (const byte of chunk) {
      const isBlank = byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
      if (isBehind && !isBlank) return true;
      if (byte === 0x0a && isInked) isBehind = true;
      if (!isBlank) isInked = true;
    }
  }
  return false;
}
