import type { Chunk, Segment } from '../model/segment.ts';

const BYTES_A_TOKEN = 4;

/** The new prompt tokens of a call begin with all that a segment holds from `from` on. Memory against memory: no token is looked at by itself. */
export function holdsAll(prompt: Chunk, { chunks, length }: Segment, from: number): boolean {
  if (prompt.promptTokens < length - from) return false;
  let start = 0;
  for (const { bytes, tokens } of chunks) {
    const end = start + tokens;
    if (end > from) {
      const first = Math.max(start, from);
      const [at, until] = [(first - from) * BYTES_A_TOKEN, (end - from) * BYTES_A_TOKEN];
      const [heldAt, heldUntil] = [(first - start) * BYTES_A_TOKEN, tokens * BYTES_A_TOKEN];
      if (prompt.bytes.compare(bytes, heldAt, heldUntil, at, until) !== 0) return false;
    }
    start = end;
  }
  return true;
}
