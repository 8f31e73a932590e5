import type { Access } from '../access/access.ts';
import type { ImportSink } from '../ingest/import-sink.ts';
import { unverifiedScope } from './attempt-scope.ts';
import { attemptKeyOf, type JudgedAttempt } from './judged-attempt.ts';
import { countAttempts, readAttempts } from './read-attempts.ts';
import { readInputs } from './read-inputs.ts';
import { runVerifier } from './run-verifier.ts';
import type { VerdictCounts, VerifierProgress } from './verdict-counts.ts';
import { verdictEvent, verdictOf } from './verdict-of.ts';
import type { Verifier } from './verifier.ts';
import type { VerifierCache } from './verifier-cache.ts';

export interface VerifyRoundDeps {
  readonly access: Pick<Access, 'query'>;
  readonly sink: Pick<ImportSink, 'append'>;
  readonly verifier: Verifier;
  readonly cache: VerifierCache;
  /** Empty: every run. */
  readonly runs: readonly string[];
  /** Also attempts that were decided without their verdict: it is kept for a replay. */
  readonly late: boolean;
  readonly concurrency: number;
  /** How many there are is asked for first: another look through all that is undecided. */
  readonly withTotal: boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: VerifierProgress) => void;
}

export type VerifyRound = () => Promise<VerdictCounts>;

/**
 * Judges what has ended in the store and lacks a verdict of the scorer, and sends the verdicts. Between a verdict's way into the log and
 * its row in the store rounds pass: what was asked is remembered as long as the store names it, refused attempts for as long.
 */
export function createVerifyRound(deps: VerifyRoundDeps): VerifyRound {
  const { access, sink, verifier, runs, late } = deps;
  let asked = new Set<string>();

  return async function verifyRound() {
    const scope = unverifiedScope(runs, verifier.scorer, late);
    const still = new Set<string>();
    const counts = await runVerifier({
      pages: readInputs(access, withoutAsked(readAttempts(access, scope), asked, still), { onlyEnded: true }),
      ...{ verifier, cache: deps.cache, concurrency: deps.concurrency, signal: deps.signal, now: deps.now },
      total: deps.withTotal ? await countAttempts(access, scope) : null,
      async give(judged) {
        const answered = judged.filter(({ answer }) => answer.status !== 'refused');
        const events = answered.map(({ attempt, answer }) => ({
          key: attempt.unit,
          event: verdictEvent(attempt, verdictOf(verifier, answer), answer.durationMs),
        }));
        if (events.length > 0) await sink.append(events);
        for (const { attempt } of judged) asked.add(attemptKeyOf(attempt));
        for (const { attempt } of judged) still.add(attemptKeyOf(attempt));
      },
      onProgress: deps.onProgress,
    });
    asked = still;
    return counts;
  };
}

async function* withoutAsked(
  pages: AsyncIterable<readonly JudgedAttempt[]>,
  asked: ReadonlySet<string>,
  still: Set<string>,
): AsyncGenerator<readonly JudgedAttempt[]> {
  for await (const page of pages) {
    const isAsked = (one: JudgedAttempt): boolean => asked.has(attemptKeyOf(one));
    for (const one of page) if (isAsked(one)) still.add(attemptKeyOf(one));
    yield page.filter((one) => !isAsked(one));
  }
}
