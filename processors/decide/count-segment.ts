import type { SegmentInit } from '../../schemas/generated/trajectory.ts';
import { type Segment, sampledIn } from '../model/segment.ts';
import type { FlatSegment } from './segments-of.ts';

const NO_BYTES = Buffer.alloc(0);

/** What `flatSegment` counts, of a segment whose token ids are not there: nothing is copied. */
export function countSegment(source: Segment, learns: boolean, masked: ReadonlySet<string>): FlatSegment {
  let sampledTokens = 0;
  let ownTokens = 0;
  let lossTokens = 0;
  for (const chunk of source.chunks) {
    if (chunk.copied) continue;
    const sampled = sampledIn(chunk);
    ownTokens += chunk.tokens;
    sampledTokens += sampled;
    if (learns) lossTokens += sampled - (masked.size === 0 ? 0 : maskedOf(chunk.spans, sampled, masked));
  }
  return { segment: withoutTokens(source), lossTokens, sampledTokens, ownTokens };
}

/** Sampled tokens that a version of `masked` sampled. */
function maskedOf(spans: Segment['chunks'][number]['spans'], sampled: number, masked: ReadonlySet<string>): number {
  let tokens = 0;
  for (let i = 0; i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || !masked.has(span.version)) continue;
    const end = Math.min(spans[i + 1]?.start ?? sampled, sampled);
    if (end > span.start) tokens += end - span.start;
  }
  return tokens;
}

function withoutTokens({ id, parentId, forkAt }: Segment): SegmentInit {
  return {
    segment_id: id,
    parent_segment_id: parentId,
    fork_at: forkAt,
    token_ids: NO_BYTES,
    prompt_len: 0,
    sampled_mask: NO_BYTES,
    loss_mask: NO_BYTES,
    logprobs: null,
    weight_spans: [],
  };
}
