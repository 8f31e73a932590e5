import type { SegmentInit, WeightSpanInit } from '../../schemas/generated/trajectory.ts';
import { type Segment, sampledIn } from '../model/segment.ts';

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
 * leaves the loss mask empty; tokens that a version of `masked` sampled stay out of it. Copied tokens keep mask and logprobs and are in the loss of the segment they were sampled in.
 */
export function flatSegment(source: Segment, learns: boolean, masked: ReadonlySet<string>): FlatSegment {
  const { chunks, length } = source;
  const hasLogprobs = chunks.every((chunk) => chunk.hasLogprobs || sampledIn(chunk) === 0);
  // One block for all four, and zeros only where nothing is copied: an allocation costs more than its bytes.
  const block = Buffer.allocUnsafeSlow(length * (hasLogprobs ? 10 : 6)).fill(0, length * 4, length * 6);
  const tokenIds = block.subarray(0, length * 4);
  const sampledMask = block.subarray(length * 4, length * 5);
  const lossMask = block.subarray(length * 5, length * 6);
  const logprobs = hasLogprobs ? block.subarray(length * 6) : null;
  const spans: WeightSpanInit[] = [];
  let at = 0;
  let promptLen = -1;
  let sampledTokens = 0;
  let ownTokens = 0;
  let lossTokens = 0;
  for (const chunk of chunks) {
    const { bytes, promptTokens, sampledTokens: of, copied } = chunk;
    const end = at + chunk.tokens;
    const sampled = sampledIn(chunk);
    const from = end - sampled;
    bytes.copy(tokenIds, at * 4, 0, chunk.tokens * 4);
    logprobs?.fill(0, at * 4, from * 4);
    if (!copied) ownTokens += chunk.tokens;
    if (sampled > 0) {
      if (promptLen < 0) promptLen = from;
      sampledMask.fill(1, from, end);
      if (!copied) sampledTokens += sampled;
      if (learns && !copied) {
        lossMask.fill(1, from, end);
        lossTokens += sampled - maskTokens(lossMask.subarray(from, end), chunk.spans, masked);
      }
      const logprobsAt = (promptTokens + of) * 4;
      if (logprobs !== null) bytes.copy(logprobs, from * 4, logprobsAt, logprobsAt + sampled * 4);
      // Else the version before would go on over tokens of which nothing is known.
      if (chunk.spans[0]?.start !== 0 && spans.length > 0) pushSpan(spans, from, UNKNOWN_VERSION);
      for (const { start, version } of chunk.spans) pushSpan(spans, from + start, version);
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

/** How many tokens of the chunk were taken out of the loss. */
function maskTokens(lossMask: Buffer, spans: readonly WeightSpanInit[], masked: ReadonlySet<string>): number {
  if (masked.size === 0) return 0;
  let tokens = 0;
  for (const [i, { start, version }] of spans.entries()) {
    const end = Math.min(spans[i + 1]?.start ?? lossMask.length, lossMask.length);
    if (!masked.has(version) || end <= start) continue;
    lossMask.fill(0, start, end);
    tokens += end - start;
  }
  return tokens;
}

const UNKNOWN_VERSION = '';

/** Two calls of the same weights are one span. */
function pushSpan(spans: WeightSpanInit[], start: number, version: string): void {
  if (spans.at(-1)?.version !== version) spans.push({ start, version });
}
