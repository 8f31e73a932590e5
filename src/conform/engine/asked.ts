/** What a client asked for, as all routes and dialects have it. */
export interface Asked {
  readonly route: 'generate' | 'chat' | 'completions';
  readonly dialect: 'sglang' | 'vllm';
  readonly stream: boolean;
  readonly promptIds: readonly number[];
  readonly promptSentAsIds: boolean;
  /** null but on the chat route. */
  readonly messages: readonly unknown[] | null;
  /** Calls of tools are parsed out of the text: it offered tools, and did not forbid them. */
  readonly parsesCalls: boolean;
  /** Names of the tools that it offered. */
  readonly toolNames: readonly string[];
  /** null: no limit was given. */
  readonly maxTokens: number | null;
  readonly stopTexts: readonly string[];
  readonly stopIds: readonly number[];
  readonly skipSpecialTokens: boolean;
  /** The stop token's text stays in the text (SGLang's `no_stop_trim`). */
  readonly keepsStop: boolean;
  /** null: they were not asked for; else how many alternatives are to be told. */
  readonly logprobs: number | null;
  /** SGLang's `logprob_start_len`: logprobs of the prompt from there on; -1: none. */
  readonly logprobStart: number;
  readonly textInLogprobs: boolean;
  /** Tokens in logprobs are written as `token_id:123` (vLLM's `return_tokens_as_token_ids`). */
  readonly tokensAsIds: boolean;
  readonly returnTokenIds: boolean;
  readonly returnPromptIds: boolean;
  readonly returnMetaInfo: boolean;
  /** SGLang's `sglext`: ids of a whole answer, once, also at the end of a stream. */
  readonly extInputIds: boolean;
  readonly extOutputIds: boolean;
  readonly includeUsage: boolean;
  readonly model: string;
  /** Of the answer: the client's own (`rid`, `x-request-id`), or ours. */
  readonly requestId: string;
}

/** Why a request is not answered with a completion. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class RefusedRequest extends Error {
  readonly refusal: Refusal;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.refusal = { status, type, message };
  }
}
