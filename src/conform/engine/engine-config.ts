import type { LoadedTokenizer } from '../../tokenizers/load-tokenizer.ts';
import type { CallForm } from '../call-form.ts';
import type { TruthCall } from '../truth.ts';

/** `both`: `/v1/…` as vLLM, `/sglang/v1/…` as SGLang, `/generate` as SGLang. */
export type EngineDialect = 'sglang' | 'vllm' | 'both';

export interface EngineConfig {
  /** Folder with tokenizer.json and a chat template, or what was loaded of one (whoever loaded it closes it). */
  readonly tokenizer: string | LoadedTokenizer;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: one that is free. */
  readonly port?: number;
  /** Default both. */
  readonly dialect?: EngineDialect;
  /** Names of scenarios that are played; a prompt of another is refused with 400. Default all. */
  readonly scenarios?: readonly string[];
  /** Default 0. What is sampled is a function of it, the marker and the turn. */
  readonly seed?: number;
  /** How calls are written; default hermes, which alone is parsed for chat answers. */
  readonly calls?: CallForm;
  /** File of the log; default none. */
  readonly log?: string | null;
  /** Of each stream; default as fast as the client reads. */
  readonly tokensPerSecond?: number | null;
  /** Streams of `/generate` carry what is new, as SGLang's --incremental-streaming-output; default all so far, as SGLang does without. */
  readonly incrementalStreaming?: boolean;
  /** What `Authorization: Bearer` must say; default nobody is asked. */
  readonly token?: string | null;
  /** Name of the model; default rollstream-conform. */
  readonly model?: string;
  /** Whether `truth()` keeps what it says; default true. */
  readonly keepTruth?: boolean;
  /** ms since the epoch; default the clock. A constant makes two answers to one request equal, given `rid` or `x-request-id`. */
  readonly now?: () => number;
}

export interface Engine {
  /** `http://127.0.0.1:8200`, without a slash at the end. */
  readonly url: string;
  /** Calls in the order in which they ended. */
  readonly truth: () => readonly TruthCall[];
  /** Cuts what is still being answered. */
  readonly close: () => Promise<void>;
}
