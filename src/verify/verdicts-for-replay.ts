import type { Access } from '../access/access.ts';
import type { NewVerdictOf } from '../rescore/new-verdicts.ts';
import type { ReplayRequest } from '../rescore/replay-request.ts';
import type { AttemptKey } from './judged-attempt.ts';
import type { VerdictCounts, VerifierProgress } from './verdict-counts.ts';
import type { Verifier } from './verifier.ts';
import type { VerifierCache } from './verifier-cache.ts';

export interface VerdictsAsked {
  readonly access: Pick<Access, 'query'>;
  /** What the replay works on: decided attempts of it are judged. */
  readonly scope: Pick<ReplayRequest, 'runs' | 'from' | 'to' | 'where'>;
  readonly source: VerdictSource;
  readonly signal: AbortSignal;
  /** Keeps a batch; the next one waits for it. Called in no order, each attempt and scorer once. */
  readonly give: (batch: VerdictBatch) => Promise<void>;
  readonly onProgress: (progress: VerifierProgress) => void;
}

export type VerdictSource =
  | {
      readonly kind: 'verifier';
      /** Closed by who opened it. */
      readonly verifier: Verifier;
      readonly cache: VerifierCache;
      /** Attempts that are judged at once. */
      readonly concurrency: number;
    }
  /** JSON Lines; `name` is said in errors. */
  | { readonly kind: 'file'; readonly name: string; readonly lines: AsyncIterable<string> };

export interface VerdictBatch {
  readonly verdicts: readonly NewVerdictOf[];
  /** Attempts that the verifier cannot judge: their units cannot be scored again by it. */
  readonly refused: readonly RefusedAttempt[];
}

export interface RefusedAttempt extends AttemptKey {
  readonly scorer: string;
  readonly scorer_version: string;
  readonly why: string;
}

/**
 * Verdicts for a replay, by a verifier over what the store holds or from a file. RS_INTERRUPTED when `signal` is aborted; what was
 * answered is in the cache then, so that asking again goes on from it. RS_INPUT_REFUSED: a line of the file cannot be used.
 */
export type VerdictsFor = (asked: VerdictsAsked) => Promise<VerdictCounts>;

export const verdictsFor: VerdictsFor = () => Promise.reject(new Error('not yet'));
