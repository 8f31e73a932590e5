import type { Access } from '../access/access.ts';
import type { Store } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import { checkCondition } from '../rescore/check-condition.ts';
import type { NewVerdictOf } from '../rescore/new-verdicts.ts';
import type { ReplayRequest } from '../rescore/replay-request.ts';
import { createTally } from './answer-tally.ts';
import type { AttemptJudged } from './attempt-input.ts';
import { decidedScope } from './attempt-scope.ts';
import type { AttemptKey } from './judged-attempt.ts';
import { countAttempts, readAttempts } from './read-attempts.ts';
import { readInputs } from './read-inputs.ts';
import { readVerdictFile } from './read-verdict-file.ts';
import { runVerifier } from './run-verifier.ts';
import type { VerdictCounts, VerifierProgress } from './verdict-counts.ts';
import { verdictOf } from './verdict-of.ts';
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
export async function verdictsFor(asked: VerdictsAsked): Promise<VerdictCounts> {
  const { access, scope, source } = asked;
  if (source.kind === 'file') return fromFile(asked, source);
  if (scope.where !== null) {
    const queryAsReader: Store['queryAsReader'] = (sql, _format, params = {}) => access.query(sql, 'jsonl', params);
    await checkCondition({ queryAsReader }, scope.where);
  }
  const attempts = decidedScope(scope);
  const { verifier, cache, concurrency } = source;
  return runVerifier({
    pages: readInputs(access, readAttempts(access, attempts), { onlyEnded: false }),
    ...{ verifier, cache, concurrency, signal: asked.signal, now: Date.now, onProgress: asked.onProgress },
    total: await countAttempts(access, attempts),
    give: (judged) => asked.give(batchOf(verifier, judged)),
  });
}

function batchOf(verifier: Verifier, judged: readonly AttemptJudged[]): VerdictBatch {
  const verdicts: NewVerdictOf[] = [];
  const refused: RefusedAttempt[] = [];
  for (const { attempt, answer } of judged) {
    const about = keyOf(attempt);
    if (answer.status === 'refused')
      refused.push({ ...about, scorer: verifier.scorer, scorer_version: verifier.version, why: answer.report ?? '' });
    else verdicts.push({ ...about, verdict: verdictOf(verifier, answer) });
  }
  return { verdicts, refused };
}

async function fromFile(
  { access, scope, give, signal, onProgress }: VerdictsAsked,
  file: Extract<VerdictSource, { kind: 'file' }>,
): Promise<VerdictCounts> {
  const tally = createTally(null, Date.now);
  for await (const some of readVerdictFile(access, file, scope.runs)) {
    if (signal.aborted) throw new RollstreamError('RS_INTERRUPTED', `${file.name}: interrupted while it was read`);
    const verdicts: NewVerdictOf[] = [];
    const refused: RefusedAttempt[] = [];
    for (const { about, scorer, scorer_version, bound_to, answer } of some) {
      const verdict = { ...verdictOf({ scorer, version: scorer_version }, answer), bound_to };
      if (answer.status === 'refused') refused.push({ ...about, scorer, scorer_version, why: answer.report ?? '' });
      else verdicts.push({ ...about, verdict });
      tally.count({ rolloutId: about.rollout_id, answer, isCached: false, refused: null });
    }
    await give({ verdicts, refused });
    onProgress(tally.progress());
  }
  return tally.counts();
}

function keyOf({ run_id, epoch, unit, rollout_id, attempt }: AttemptKey): AttemptKey {
  return { run_id, epoch, unit, rollout_id, attempt };
}
