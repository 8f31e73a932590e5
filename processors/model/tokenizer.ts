/**
 * A tokenizer as the audits use it. Texts are bytes (UTF-8), since a token may hold part of a character. Nothing is cleaned up,
 * nothing is skipped, no special token is added.
 */
export interface Tokenizer {
  /** SHA-256 of its tokenizer.json, hex. */
  readonly sha256: string;
  /** One above the largest id that has a token. */
  readonly size: number;
  /** The id has a token. */
  readonly has: (id: number) => boolean;
  /** Tokens beside the model's own (`<|im_end|>`, `<think>`), by id. */
  readonly added: ReadonlyMap<number, AddedToken>;
  /** Id of an added token by its content; null: there is none. */
  readonly addedId: (content: string) => number | null;
  /** tokenizer_config.json: null where it has none. */
  readonly bosId: number | null;
  /** End-of-sequence ids: of tokenizer_config.json, and of generation_config.json where the folder has one. */
  readonly eosIds: readonly number[];
  /** Bytes of the ids `[from, to)`. Throws on an id that it has not: check before. */
  readonly decode: (ids: Uint32Array, from: number, to: number) => Uint8Array;
  /**
   * Ids of a text: exactly those of Hugging Face's `tokenizers`, with special tokens recognised and none added. Throws a RangeError on a
   * text too long for it, which only a tokenizer that is not known exactly has.
   */
  readonly encode: (text: string) => Uint32Array;
}

export interface AddedToken {
  readonly content: string;
  /** Left out by decoders that skip special tokens; `<think>` and `<tool_call>` of Qwen3 are added and not special. */
  readonly special: boolean;
}
