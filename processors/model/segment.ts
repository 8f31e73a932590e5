import type { WeightSpan } from '../../schemas/generated/step-event.ts';

/** Tokens that arrived together. Buffers are kept as they were decoded; nothing is concatenated before the attempt closes. */
export interface Chunk {
  /** Little-endian uint32 each. */
  readonly ids: Buffer;
  readonly sampled: boolean;
  /** Copied from the parent segment: keeps mask and logprobs, but is not in the loss a second time. */
  readonly copied: boolean;
  /** Little-endian float32 each; null where a sampled token has none. Prompt chunks: null, and nothing is missing. */
  readonly logprobs: Buffer | null;
  /** `start` counts tokens of this chunk. */
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
