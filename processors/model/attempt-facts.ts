/** Whose time-out, or whose memory, it was; unknown: the events do not say. */
export type Attribution = 'policy' | 'env' | 'unknown';

/** What the events of an attempt say beside its tokens: sums and last values, never lists. Each starts at 0 or null. */
export interface AttemptFacts {
  /** Tool calls that their parser could not read, and those that it mended. */
  malformedCalls: number;
  repairedCalls: number;
  /** The last model call sampled as many tokens as it was allowed. */
  lastCallFull: boolean;
  /** Steps after its end, or another end: they change nothing, and say that the end was not one. One sent twice counts twice. */
  laterSteps: number;
  /** Attribution of the last tool call that timed out, and of the last that ran out of memory; null: none did. */
  timeoutOf: Attribution | null;
  memoryOf: Attribution | null;
  /** Scorer and version that last gave another answer to a question it had answered; null: none did. The first answer is kept. */
  contradictedScorer: string | null;
  readonly wall: WallParts;
}

/** The wall clock by whose it was, µs: what the events say, nothing inferred. What no event explains is in none of them. */
export interface WallParts {
  /** Prefill and decode of the policy's own tokens. */
  policy: number;
  /** Queue of the engine, work it did again, the way to it, calls that failed. */
  engine: number;
  /** Tools at work. Neither the policy's nor the infrastructure's: it chose them, and did not make them slow. */
  tool: number;
  /** Waiting for a sandbox, its set-up, its faults. */
  sandbox: number;
  rateLimit: number;
  weightSync: number;
  /** The loop's own work. */
  loop: number;
}

export function createAttemptFacts(): AttemptFacts {
  return {
    malformedCalls: 0,
    repairedCalls: 0,
    lastCallFull: false,
    laterSteps: 0,
    timeoutOf: null,
    memoryOf: null,
    contradictedScorer: null,
    wall: { policy: 0, engine: 0, tool: 0, sandbox: 0, rateLimit: 0, weightSync: 0, loop: 0 },
  };
}

/** Facts of an attempt, from when the first event has one to tell. */
export function factsOf(attempt: { facts: AttemptFacts | null }): AttemptFacts {
  attempt.facts ??= createAttemptFacts();
  return attempt.facts;
}
