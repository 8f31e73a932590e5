import { open } from 'node:fs/promises';

export const SEGMENT_SUFFIX = '.ndjson';

const NEWLINE = 10;

export interface Batch {
  /** Whole lines. */
  readonly bytes: Buffer;
  readonly lines: number;
}

export interface BatchLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
}

/** Lines in order; next() gives the same ones until they are answered. */
export interface BatchSource {
  /** Whole lines, one at least. null: there are none. */
  next(limits: BatchLimits): Promise<Batch | null>;
  /** What next() gave last is with the server. */
  answered(batch: Batch): void;
}

/** Whole lines of a file from a place on, one at least, however long it is. null: there is no whole line up to `end`. */
export async function readLines(path: string, from: number, end: number, limits: BatchLimits): Promise<Batch | null> {
  const file = await open(path, 'r');
  try {
    for (let size = limits.maxBytes; ; size *= 2) {
      const wanted = Math.min(size, end - from);
      const bytes = Buffer.allocUnsafe(wanted);
      let held = 0;
      while (held < wanted) {
        const { bytesRead } = await file.read(bytes, held, wanted - held, from + held);
        if (bytesRead === 0) break;
        held += bytesRead;
      }
      const batch = wholeLines(bytes.subarray(0, held), limits.maxLines);
      if (batch !== null || held === end - from || held < wanted) return batch;
    }
  } finally {
    await file.close();
  }
}

function wholeLines(bytes: Buffer, maxLines: number): Batch | null {
  let lines = 0;
  let length = 0;
  while (lines < maxLines) {
    const newline = bytes.indexOf(NEWLINE, length);
    if (newline === -1) break;
    length = newline + 1;
    lines += 1;
  }
  return lines === 0 ? null : { bytes: bytes.subarray(0, length), lines };
}
