/** What a client said, by header or path, of where a call belongs. null: it did not say. */
export interface NamedBy {
  readonly run: string | null;
  /** null: told by its conversation, and marked `inferred`. */
  readonly rollout: string | null;
  readonly attempt: number | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly task: string | null;
  readonly env: string | null;
  readonly epoch: number | null;
  readonly purpose: 'train' | 'eval' | 'synthesis' | null;
}

/** One request of a client for a model call, as the first frame of its file. */
export interface CallHead {
  /** Unique over all processes that used the folder, and sorted by when calls began; the name of its file. */
  readonly id: string;
  readonly named: NamedBy;
  /** At the upstream, with its query: `/generate`, `/v1/chat/completions`. */
  readonly path: string;
  readonly engine: 'sglang' | 'vllm' | 'openai';
  /** Replica: host and port of the upstream. */
  readonly upstream: string;
  /** Wall clock, µs since the epoch; the times of frames are counted from here by a monotonic clock. */
  readonly startedAtUs: number;
  /**
   * Those of the client that are facts of the call: `x-stainless-retry-count`, `x-request-id`, `user-agent`; and `content-encoding`, in
   * which the request stands here as it came.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the body that were asked for in the client's place, such as `return_token_ids`; the request stands here without them. */
  readonly asked: readonly string[];
}

/** How the upstream began to answer. */
export interface AnswerHead {
  readonly status: number;
  /** Lower case; a name that came twice is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How a call ended, as the proxy saw it. Absent from the file: the proxy was killed. */
export interface CallEnd {
  readonly how:
    | 'complete'
    /** The client left before it had all of the answer. */
    | 'client_gone'
    /** The upstream closed the connection in the middle. */
    | 'upstream_cut'
    /** Nobody answered there. */
    | 'upstream_unreachable'
    /** The upstream said nothing for so long that the proxy gave up. */
    | 'upstream_timeout'
    | 'proxy_stopped';
  readonly detail: string | null;
}
