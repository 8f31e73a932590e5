import type { WeightSpan } from '../../schemas/generated/step-event.ts';

/** Tokens of one model call: its new prompt tokens, then the sampled ones. Nothing is concatenated before the attempt closes. */
export interface Chunk {
  /** Model call that it is of, from 0 over the attempt. */
  readonly turn: number;
  /**
   * Ids of the prompt, ids of the sample (little-endian uint32 each), logprobs of the sample (float32), one after the other in
   * memory of their own. One buffer and not three views: a view costs 100 bytes and a microsecond.
   */
  readonly bytes: Buffer;
  readonly promptTokens: number;
  readonly sampledTokens: number;
  /** How many of both, from the first on, belong to this segment. Holds: all of them, but where a fork cut them short. */
  readonly tokens: number;
  /** false: the source has none. Nothing is missing where nothing was sampled. */
  readonly hasLogprobs: boolean;
  /** Copied from the parent segment: keeps mask and logprobs, but is not in the loss a second time. */
  readonly copied: boolean;
  /** `start` counts sampled tokens of this chunk. */
  readonly spans: readonly WeightSpan[];
}

/** One flat token sequence under construction. */
export interface Segment {
  readonly id: string;
  /** The segment_id of its events, from which `id` is derived. */
  readonly sourceId: string;
  readonly parentId: string | null;
  readonly forkAt: number | null;
  readonly chunks: Chunk[];
  /** Tokens held. Holds: the sum over chunks. */
  length: number;
}

/** A model call as a range of tokens. */
export interface Turn {
  readonly turn: number;
  readonly segmentId: string;
  readonly start: number;
  readonly end: number;
  readonly callId: string;
  readonly finishReason: string | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly logprobsMode: string;
}

/** Sampled tokens of a chunk that belong to its segment. */
export function sampledIn({ tokens, promptTokens }: Chunk): number {
  return Math.max(0, tokens - promptTokens);
}
