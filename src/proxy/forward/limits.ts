/** What a proxy takes at once; beyond it a request is refused, and told so. */
export interface ForwardLimits {
  /** Of the body of a model call, which is held in memory: 413. What is passed on unrecorded is streamed, and has no limit. */
  readonly bodyBytes: number;
  /** Of a request's head: 431. */
  readonly headerBytes: number;
  /** Requests that have not ended: 503 with Retry-After. */
  readonly callsInFlight: number;
  /** An upstream that says nothing for so long is given up: 504, or a cut where it had begun. */
  readonly upstreamSilenceMs: number;
}

export const DEFAULT_LIMITS: ForwardLimits = {
  bodyBytes: 64 * 1024 * 1024,
  headerBytes: 64 * 1024,
  callsInFlight: 4_096,
  upstreamSilenceMs: 3_600_000,
};
