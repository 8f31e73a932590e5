import { pushText, readCount, readText } from '../../processors/cut/text-codec.ts';
import { pushVarint, readVarint } from '../../processors/cut/varint.ts';

/** How far the held topic is forwarded, by run: a closed run must not stop another one. */
export interface HeldProgress {
  /** Below it each record was moved, but for those of runs that wait. */
  readonly lookedTo: number;
  /** Runs whose gate was closed: the first offset of theirs that may not be moved yet. Holds: all below lookedTo. */
  readonly waiting: ReadonlyMap<string, number>;
}

const VERSION = 'h1.';

/** The least offset that must be looked at again: what is committed. */
export function firstToMove({ lookedTo, waiting }: HeldProgress): number {
  let first = lookedTo;
  for (const offset of waiting.values()) if (offset < first) first = offset;
  return first;
}

/** `h1.` + base64url of varints: lookedTo, count, then of each run that waits its id and lookedTo − its offset. */
export function encodeHeldProgress({ lookedTo, waiting }: HeldProgress): string {
  const bytes: number[] = [];
  pushVarint(bytes, lookedTo);
  pushVarint(bytes, waiting.size);
  for (const [runId, offset] of waiting) {
    pushText(bytes, runId);
    pushVarint(bytes, lookedTo - offset);
  }
  return VERSION + Buffer.from(bytes).toString('base64url');
}

/** null: not written by this version. */
export function decodeHeldProgress(text: string): HeldProgress | null {
  if (!text.startsWith(VERSION)) return null;
  const bytes = Buffer.from(text.slice(VERSION.length), 'base64url');
  const cursor = { bytes, at: 0 };
  const lookedTo = readVarint(cursor);
  const count = readCount(cursor);
  const waiting = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const runId = readText(cursor);
    waiting.set(runId, lookedTo - readVarint(cursor));
  }
  const isWhole = cursor.at === bytes.length && waiting.size === count;
  const isInRange = [...waiting.values()].every((offset) => offset >= 0 && offset < lookedTo);
  return isWhole && isInRange ? { lookedTo, waiting } : null;
}
