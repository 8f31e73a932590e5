import type { Chunk, Segment } from '../model/segment.ts';

/** Tokens of a segment from `from` on, with whose they are. */
export interface HeldTokens {
  readonly ids: Uint32Array;
  /** In order, without gaps; ends count from `from`. */
  readonly ranges: readonly HeldRange[];
}

export interface HeldRange {
  readonly end: number;
  readonly isSampled: boolean;
  readonly turn: number;
}

const BYTES_A_TOKEN = 4;

export function tokensFrom({ chunks, length }: Segment, from: number): HeldTokens {
  const ids = new Uint32Array(Math.max(0, length - from));
  const ranges: HeldRange[] = [];
  let at = -from;
  for (const chunk of chunks) {
    const end = at + chunk.tokens;
    if (end > 0) {
      const skipped = Math.max(0, -at);
      copyIds(chunk, skipped, chunk.tokens, ids, at + skipped);
      const sampledFrom = at + Math.min(chunk.promptTokens, chunk.tokens);
      if (sampledFrom > at + skipped) ranges.push({ end: sampledFrom, isSampled: false, turn: chunk.turn });
      if (end > sampledFrom) ranges.push({ end, isSampled: true, turn: chunk.turn });
    }
    at = end;
  }
  return { ids, ranges };
}

/** New prompt tokens of a call. */
export function promptOf(chunk: Chunk): Uint32Array {
  const ids = new Uint32Array(chunk.promptTokens);
  copyIds(chunk, 0, chunk.promptTokens, ids, 0);
  return ids;
}

/** As bytes: a view over the ids would need them to be aligned. */
function copyIds({ bytes }: Chunk, from: number, to: number, into: Uint32Array, at: number): void {
  const target = new Uint8Array(into.buffer, at * BYTES_A_TOKEN, (to - from) * BYTES_A_TOKEN);
  target.set(bytes.subarray(from * BYTES_A_TOKEN, to * BYTES_A_TOKEN));
}
