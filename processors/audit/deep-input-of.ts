import type { Attempt } from '../model/attempt.ts';
import type { DeepInput, DeepRange, DeepSegment } from '../model/deep-input.ts';
import type { Segment } from '../model/segment.ts';

const NO_TEXTS: ReadonlyMap<number, Uint8Array> = new Map();

/** What a tokenizer can look at of an attempt. `rawTexts`: completions by turn, where somebody kept them. */
export function deepInputOf(attempt: Attempt, rawTexts: ReadonlyMap<number, Uint8Array> = NO_TEXTS): DeepInput {
  const { start, segments, turns, watch } = attempt;
  return {
    rolloutId: attempt.rolloutId,
    tokenizerSha256: start?.tokenizer_sha256 ?? null,
    templateSha256: start?.template_sha256 ?? null,
    templateVarsJson: start?.template_vars_json ?? null,
    segments: segments.map(deepSegmentOf),
    turns: turns.map(({ turn, finishReason }) => ({ turn, finishReason, rawText: rawTexts.get(turn) ?? null })),
    executed: watch?.tools?.executed ?? [],
  };
}

function deepSegmentOf({ id, parentId, forkAt, chunks, length }: Segment): DeepSegment {
  const tokenIds = new Uint32Array(length);
  const bytes = new Uint8Array(tokenIds.buffer);
  const ranges: DeepRange[] = [];
  let at = 0;
  for (const chunk of chunks) {
    // Prompt and sample lie one after the other in the chunk, little-endian as this machine is.
    bytes.set(chunk.bytes.subarray(0, chunk.tokens * BYTES_A_TOKEN), at * BYTES_A_TOKEN);
    const end = at + chunk.tokens;
    const sampledStart = Math.min(at + chunk.promptTokens, end);
    ranges.push({ turn: chunk.turn, promptStart: at, sampledStart, end, copied: chunk.copied });
    at = end;
  }
  return { id, parentId, forkAt, tokenIds, ranges };
}

const BYTES_A_TOKEN = 4;
