import type { AuditAnswer, AuditName } from './audit-summary.ts';
import type { ExecutedTurn } from './tools-watch.ts';

/** What the audits that need a tokenizer look at: plain data, so that it can go to a worker. */
export interface DeepInput {
  readonly rolloutId: string;
  /** As the producer gave them; null: it did not say. */
  readonly tokenizerSha256: string | null;
  readonly templateSha256: string | null;
  readonly templateVarsJson: string | null;
  readonly segments: readonly DeepSegment[];
  readonly turns: readonly DeepTurn[];
  /** Calls as they were executed, of turns whose raw text the source does not have. */
  readonly executed: readonly ExecutedTurn[];
}

export interface DeepSegment {
  readonly id: string;
  readonly parentId: string | null;
  readonly forkAt: number | null;
  readonly tokenIds: Uint32Array;
  /** Model calls in order; they cover the segment without gaps. */
  readonly ranges: readonly DeepRange[];
}

/** Tokens of one call: `[promptStart, sampledStart)` are new prompt tokens, `[sampledStart, end)` were sampled. */
export interface DeepRange {
  readonly turn: number;
  readonly promptStart: number;
  readonly sampledStart: number;
  readonly end: number;
  /** Shared with the parent segment, where it is audited. */
  readonly copied: boolean;
}

export interface DeepTurn {
  readonly turn: number;
  readonly finishReason: string | null;
  /** Completion before any parser, UTF-8; null: not kept (in a lane it is not), or the source has none. */
  readonly rawText: Uint8Array | null;
}

/** What a tokenizer can prove. Each answer stands for its audit, or adds to what the lane itself found. */
export type DeepAnswers = Readonly<Partial<Record<AuditName, AuditAnswer>>>;
