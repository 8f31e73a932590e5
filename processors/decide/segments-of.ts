import type { SegmentInit, WeightSpanInit } from '../../schemas/generated/trajectory.ts';
import type { Segment } from '../model/segment.ts';

/** A segment as it travels, with what its turns and books need of it. */
export interface FlatSegment {
  readonly segment: SegmentInit;
  readonly lossTokens: number;
  readonly sampledTokens: number;
  /** Tokens that are not a copy of another segment's. */
  readonly ownTokens: number;
}

/**
 * One flat sequence from its chunks: ids, masks and logprobs of equal length, 0 where a token was not sampled. `learns` false
 * leaves the loss mask empty. Copied tokens keep mask and logprobs and are in the loss of the segment they were sampled in.
 */
export function flatSegment(source: Segment, learns: boolean): FlatSegment {
  const { chunks, length } = source;
  const tokenIds = Buffer.concat(chunks.map((chunk) => chunk.ids));
  const sampledMask = Buffer.alloc(length);
  const lossMask = Buffer.alloc(length);
  const hasLogprobs = chunks.every((chunk) => !chunk.sampled || chunk.logprobs !== null);
  const logprobs = hasLogprobs ? Buffer.alloc(length * 4) : null;
  const spans: WeightSpanInit[] = [];
  let at = 0;
  let promptLen = -1;
  let sampledTokens = 0;
  let ownTokens = 0;
  let lossTokens = 0;
  for (const chunk of chunks) {
    const end = at + chunk.ids.length / 4;
    if (!chunk.copied) ownTokens += end - at;
    if (chunk.sampled) {
      if (promptLen < 0) promptLen = at;
      sampledMask.fill(1, at, end);
      if (!chunk.copied) sampledTokens += end - at;
      if (learns && !chunk.copied) {
        lossMask.fill(1, at, end);
        lossTokens += end - at;
      }
      chunk.logprobs?.copy(logprobs ?? Buffer.alloc(0), at * 4);
      for (const { start, version } of chunk.spans) pushSpan(spans, { start: at + start, version });
    }
    at = end;
  }
  const segment = {
    segment_id: source.id,
    parent_segment_id: source.parentId,
    fork_at: source.forkAt,
    token_ids: tokenIds,
    prompt_len: promptLen < 0 ? length : promptLen,
    sampled_mask: sampledMask,
    loss_mask: lossMask,
    logprobs,
    weight_spans: spans,
  };
  return { segment, lossTokens, sampledTokens, ownTokens };
}

/** Two calls of the same weights are one span. */
function pushSpan(spans: WeightSpanInit[], span: WeightSpanInit): void {
  if (spans.at(-1)?.version !== span.version) spans.push(span);
}
