/** What a loop hands in. Absent means that nobody knows: it is recorded as null, never as 0 or as a guess. */

/** Numbers, typed arrays, or bytes that are little-endian uint32 each. */
export type TokenIds =
  | readonly number[]
  | readonly bigint[]
  | Uint32Array
  | Int32Array
  | BigInt64Array
  | BigUint64Array
  | Uint8Array;

/** Natural logarithms; null where the engine gave none. Bytes are little-endian float32 each. */
export type Logprobs = readonly (number | null)[] | Float32Array | Float64Array | Uint8Array;

export interface Sampling {
  readonly temperature?: number | null;
  readonly topP?: number | null;
  /** -1: all candidates. */
  readonly topK?: number | null;
  readonly maxTokens?: number | null;
  readonly seed?: number | null;
  /** Other sampling parameters. */
  readonly extra?: object | null;
}

export interface Limits {
  readonly maxTokens?: number | null;
  readonly maxTurns?: number | null;
  readonly maxToolCalls?: number | null;
  readonly maxWallUs?: number | null;
}

export interface Failure {
  readonly type?: string | null;
  readonly message?: string | null;
}

/** `groupId` and `groupSize` belong together: a rollout without a group has neither. */
export interface RolloutOptions {
  readonly taskId: string | number;
  /** The rollouts sampled for one prompt. Absent: no group. */
  readonly groupId?: string | number | null;
  /** How many rollouts the group will have. Absent: unknown, members pass one by one, without advantage. */
  readonly groupSize?: number | null;
  readonly envName?: string;
  /** A UUID unless given. A retry has the rolloutId of what it retries, and a higher attempt. */
  readonly rolloutId?: string | number;
  readonly attempt?: number;
  readonly epoch?: number;
  readonly prompt?: string | null;
  readonly taskMetadata?: object | null;
  readonly tools?: readonly object[] | null;
  readonly tokenizerId?: string | null;
  /** SHA-256 of tokenizer.json, hex. */
  readonly tokenizerSha256?: string | null;
  readonly templateSha256?: string | null;
  readonly templateVars?: object | null;
  readonly sampling?: Sampling | null;
  readonly limits?: Limits | null;
  readonly weightsVersion?: string | null;
  readonly seeds?: Readonly<Record<string, number>> | null;
  readonly envImageDigest?: string | null;
  readonly extra?: object | null;
}

export interface ToolCall {
  readonly callId: string;
  readonly name?: string | null;
  /** As the model wrote them. */
  readonly argumentsRaw?: string | null;
  /** After the parser: JSON text, or what it parsed. */
  readonly argumentsParsed?: string | object | null;
  /** Where the call begins and ends in rawText, in characters. */
  readonly charStart?: number | null;
  readonly charEnd?: number | null;
  readonly parseStatus?: 'ok' | 'malformed' | 'repaired' | 'in_think' | 'unknown_tool' | 'unknown';
  readonly parser?: string | null;
}

export interface AuxRef {
  /** What it is, such as routed_experts. */
  readonly name: string;
  readonly uri: string;
  readonly sha256?: string | null;
  readonly shape?: readonly number[];
  readonly dtype?: string;
}

export interface Usage {
  readonly promptTokens?: number | null;
  readonly completionTokens?: number | null;
  readonly cachedTokens?: number | null;
  readonly reasoningTokens?: number | null;
}

export interface WeightSpan {
  /** Index of a completion token. */
  readonly start: number;
  readonly version: string;
}

export interface When {
  /** Wall clock at the beginning, µs since the epoch. */
  readonly startedAtUs?: number | null;
  /** By a monotonic clock (performance.now()), µs. */
  readonly durationUs?: number | null;
  readonly extra?: object | null;
}

export interface ModelCall extends When {
  /** As the engine gave it; else `call-N`. */
  readonly callId?: string | null;
  readonly model?: string | null;
  readonly replica?: string | null;
  /** The whole prompt: what of it is new is worked out here. */
  readonly promptIds?: TokenIds | null;
  /** Instead of promptIds: how many tokens of the segment it reuses (all, unless given), and what follows them. */
  readonly promptPrefixLen?: number;
  readonly promptDeltaIds?: TokenIds | null;
  readonly completionIds?: TokenIds | null;
  readonly completionLogprobs?: Logprobs | null;
  /** `raw`: of the model's own distribution; `processed`: after temperature, top-p and the like. */
  readonly logprobsMode?: 'raw' | 'processed' | 'unknown';
  readonly weightSpans?: readonly WeightSpan[];
  /** The completion before any parser. */
  readonly rawText?: string | null;
  /** As the engine gave it, whole. */
  readonly finishReason?: string | object | null;
  readonly sampling?: Sampling | null;
  readonly usage?: Usage | null;
  readonly queueUs?: number | null;
  readonly prefillUs?: number | null;
  readonly decodeUs?: number | null;
  readonly serverE2eUs?: number | null;
  readonly toolCalls?: readonly ToolCall[];
  readonly auxRef?: AuxRef | null;
  readonly error?: Failure | Error | string | null;
  /** A sub-agent has a segment of its own. */
  readonly segmentId?: string;
}

export interface ToolResult extends When {
  /** Model call (from 0, over the attempt) whose tool call it answers. Absent: the last one. */
  readonly turn?: number | null;
  readonly name?: string | null;
  readonly status?:
    | 'ok'
    | 'tool_error'
    | 'timeout'
    | 'cancelled'
    | 'sandbox_error'
    | 'rate_limited'
    | 'not_executed'
    | 'unknown';
  /** JSON text, or what was executed. */
  readonly executedArguments?: string | object | null;
  readonly exitCode?: number | null;
  readonly waitUs?: number | null;
  readonly execUs?: number | null;
  readonly error?: Failure | Error | string | null;
  readonly outputRef?: string | null;
}

export type PhaseName =
  | 'queue'
  | 'rate_limit'
  | 'sandbox_setup'
  | 'agent_setup'
  | 'model'
  | 'weight_sync'
  | 'tool_wait'
  | 'cpu'
  | 'verify'
  | 'cleanup'
  | 'trainer_wait'
  | 'other';

export interface PhaseDetail {
  readonly detail?: string | null;
  readonly error?: Failure | Error | string | null;
}

export interface Verdict {
  readonly scorerVersion?: string;
  /** Anything but `scored` has no reward. */
  readonly status?: 'scored' | 'not_run' | 'timeout' | 'crash' | 'missing' | 'parse_error' | 'refused';
  /** Short for `rewards: {reward}`. null was asked for and is missing: it is not 0. */
  readonly reward?: number | null;
  readonly rewards?: Readonly<Record<string, number | null>> | null;
  /** Model call (from 0) that it judges. Absent: the whole attempt. */
  readonly boundTo?: number | null;
  readonly report?: unknown;
}

export interface RawReason {
  readonly raw: string;
  readonly system: string;
  readonly detail?: string | null;
  /** It happened after the loop had decided to end: kept, and decides nothing. */
  readonly afterEnd?: boolean;
}

export interface End {
  /** Whose vocabulary the reason is. */
  readonly system?: string;
  readonly detail?: string | null;
  /** Further reasons; the one that end() is called with is the primary one. */
  readonly reasons?: readonly RawReason[];
  readonly finalResponse?: string | null;
  /** What the environment itself returned: not a verdict. */
  readonly envReward?: number | null;
  readonly exception?: Failure | Error | string | null;
  readonly limit?: { readonly kind: string; readonly limit?: number | null; readonly used?: number | null } | null;
  readonly extra?: object | null;
}
