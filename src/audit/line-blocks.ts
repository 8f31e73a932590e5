/** Whole lines of a file, or one that is too long to be held. */
export type LinePiece =
  | { readonly kind: 'block'; readonly bytes: Uint8Array; readonly firstLine: number }
  | { readonly kind: 'overlong'; readonly line: number; readonly length: number };

/** Bytes of a block. Large enough that handing it to a worker costs nothing, small enough that many fit in memory. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Cuts chunks at line ends into blocks. A line over the limit is read past in bounded memory. */
export async function* lineBlocks(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  blockBytes = BLOCK_BYTES,
): AsyncGenerator<LinePiece> {
  let held: Buffer[] = [];
  let size = 0;
  /** Bytes held up to the end of the last whole line. */
  let cut = 0;
  let line = 1;
  /** Bytes of an overlong line read past; -1: none. */
  let skipped = -1;

  function takeBlock(end: number): LinePiece {
    // Memory of its own, so that it can be handed over and not copied.
    const bytes = new Uint8Array(end);
    let at = 0;
    let rest: Buffer[] = [];
    for (const [i, part] of held.entries()) {
      const fits = part.subarray(0, end - at);
      bytes.set(fits, at);
      at += fits.length;
      if (at < end) continue;
      rest = [part.subarray(fits.length), ...held.slice(i + 1)];
      break;
    }
    held = rest.filter(({ length }) => length > 0);
    size -= end;
    cut = 0;
    const piece = { kind: 'block', bytes, firstLine: line } as const;
    line += newlinesIn(bytes);
    return piece;
  }

  for await (let chunk of chunks) {
    if (skipped >= 0) {
      const end = chunk.indexOf(NEWLINE);
      skipped += end < 0 ? chunk.length : end;
      if (end < 0) continue;
      yield { kind: 'overlong', line: line++, length: skipped };
      skipped = -1;
      chunk = chunk.subarray(end + 1);
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= 0) cut = size + last + 1;
    held.push(chunk);
    size += chunk.length;
    if (cut >= blockBytes || (cut > 0 && size - cut > limitBytes)) yield takeBlock(cut);
    if (size - cut <= limitBytes || cut > 0) continue;
    skipped = size;
    held = [];
    size = 0;
  }
  if (skipped >= 0) yield { kind: 'overlong', line, length: skipped };
  if (size > 0) yield takeBlock(size);
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
