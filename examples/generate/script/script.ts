import type { Json } from '../python-json.ts';

/** A tool call: what the model wrote, what was run, what came back. */
export interface Call {
  readonly name: string;
  readonly args: { readonly [key: string]: Json };
  /** What the model was shown. null: the call never got an answer. */
  readonly output: string | null;
  /** ok unless given. */
  readonly status?: 'ok' | 'tool_error' | 'sandbox_error';
  readonly ms?: number;
}

/** One model call of a rollout. */
export interface Turn {
  /** A user message that arrives before it; Qwen3's template then drops the thoughts of earlier turns. */
  readonly user?: string;
  readonly think: string;
  readonly say?: string;
  readonly calls?: readonly Call[];
  /** The completion word for word, where the model did not write its call as it should have. */
  readonly text?: string;
  /** The sampler stopped after so many tokens, at a limit or by an abort. */
  readonly keepTokens?: number;
  /** The sampler took these ids where the tokenizer would write others for the same text. */
  readonly sampled?: { readonly instead: readonly number[]; readonly ids: readonly number[] };
  /** The harness rendered and encoded the whole history again, instead of extending the ids it had. */
  readonly reencoded?: boolean;
  readonly ms?: number;
}

export type Script = readonly Turn[];
