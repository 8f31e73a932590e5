/** A rollout as the stack, or whoever recorded it, tells it. What it does not tell is null. */
export interface RecordedRollout {
  readonly runId: string;
  readonly rolloutId: string;
  readonly taskId: string;
  readonly attempt: number;
  /** File and line, or run; for people. */
  readonly where: string;
  /** Texts of its task and of its messages, in which the marker may stand. */
  readonly texts: readonly string[];
  readonly calls: readonly RecordedCall[];
  /** Why it ended, in the stack's own words; null: nobody said. */
  readonly ending: RecordedEnding | null;
}

export interface RecordedEnding {
  readonly raw: string;
  readonly system: string;
  readonly detail: string | null;
  /** Of the taxonomy. */
  readonly category: string;
}

export interface RecordedCall {
  /** Whole, whatever of it was new. */
  readonly promptIds: readonly number[] | null;
  readonly completionIds: readonly number[] | null;
  /** Each a float32. */
  readonly logprobs: readonly number[] | null;
  readonly rawText: string | null;
  readonly finishReason: string | null;
  /** Empty: the record knows none. */
  readonly weightSpans: ReadonlyArray<{ readonly start: number; readonly version: string }>;
  /** The call failed, as the stack saw it. */
  readonly error: string | null;
  readonly toolCalls: readonly RecordedToolCall[];
  /** Results of its tool calls. */
  readonly results: readonly RecordedResult[];
}

export interface RecordedToolCall {
  readonly callId: string;
  readonly name: string | null;
  readonly raw: string | null;
  readonly parsed: string | null;
  readonly status: string;
}

export interface RecordedResult {
  readonly callId: string;
  readonly name: string | null;
  /** JSON text. */
  readonly executed: string | null;
  readonly status: string;
  readonly output: string | null;
}
