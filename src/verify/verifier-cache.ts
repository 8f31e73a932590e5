import type { VerifierAnswer } from './verifier.ts';

/** What a verifier of one name and version answered about a content, so that nobody asks again. */
export interface VerifierCache {
  /** By content hash; what is not known is not in it. At most MOST_RESULTS at once. */
  find(verifier: VerifierId, hashes: readonly string[]): Promise<ReadonlyMap<string, VerifierAnswer>>;
  /** Resolves once they are on disk; the same again changes nothing. At most MOST_RESULTS at once. */
  keep(verifier: VerifierId, answers: readonly KeptAnswer[]): Promise<void>;
}

export const MOST_RESULTS = 1_000;

/** Names of a verifier. */
export interface VerifierId {
  readonly scorer: string;
  readonly version: string;
}

export interface KeptAnswer {
  /** SHA-256 of what it was shown, hex. */
  readonly hash: string;
  readonly answer: VerifierAnswer;
}

/** For those who want each question asked. */
export const noCache: VerifierCache = { find: async () => new Map(), keep: async () => {} };
