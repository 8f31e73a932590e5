import { setMaxListeners } from 'node:events';
import { RollstreamError } from '../errors.ts';
import { createTally } from './answer-tally.ts';
import type { AttemptInput, AttemptJudged } from './attempt-input.ts';
import { contentHash } from './content-hash.ts';
import type { VerdictCounts, VerifierProgress } from './verdict-counts.ts';
import type { Verifier, VerifierAnswer } from './verifier.ts';
import { type KeptAnswer, MOST_RESULTS, type VerifierCache } from './verifier-cache.ts';

export interface VerifierRun {
  /** Attempts to judge, a page at a time: two of them are in memory. */
  readonly pages: AsyncIterable<readonly AttemptInput[]>;
  readonly verifier: Verifier;
  readonly cache: VerifierCache;
  /** Attempts that are judged at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Attempts of all pages; null: unknown. */
  readonly total: number | null;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Takes what is judged, in the order in which the answers came. The next call waits for it. */
  readonly give: (judged: readonly AttemptJudged[]) => Promise<void>;
  readonly onProgress: (progress: VerifierProgress) => void;
}

/** One content that is asked, for all the attempts that have it. */
interface Question {
  readonly hash: string;
  readonly attempts: AttemptInput[];
}

/**
 * Judges attempts. An answer is kept before it is given: whoever has seen a verdict finds it again, so that a run that was cut off goes
 * on from there. Rejects with what makes the whole of no use: the verifier cannot be started or reached, or RS_INTERRUPTED.
 */
export async function runVerifier(run: VerifierRun): Promise<VerdictCounts> {
  const { verifier, cache, concurrency, signal, give } = run;
  const pages = run.pages[Symbol.asyncIterator]();
  const tally = createTally(run.total, run.now);
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  // Each attempt that is judged listens to it.
  setMaxListeners(0, stop);
  const waiting: Question[] = [];
  const open = new Map<string, Question>();
  let inFlight = 0;
  let isReading = false;
  let isAtEnd = false;
  let failure: unknown = null;
  let judged: AttemptJudged[] = [];
  let fresh: KeptAnswer[] = [];
  let wake = (): void => {};

  async function readPage(): Promise<void> {
    const page = await pages.next();
    if (page.done === true) {
      isAtEnd = true;
      return;
    }
    const hashed: { readonly hash: string; readonly one: AttemptInput }[] = [];
    for (const one of page.value) {
      if (one.refused === null) hashed.push({ hash: contentHash(one.input), one });
      else judged.push({ ...one, answer: refusal(one.refused), isCached: false });
    }
    const known = await findAll(cache, verifier, [...new Set(hashed.map(({ hash }) => hash))]);
    for (const { hash, one } of hashed) {
      const answer = known.get(hash);
      const asked = open.get(hash);
      if (answer !== undefined) judged.push({ ...one, answer, isCached: true });
      else if (asked !== undefined) asked.attempts.push(one);
      else {
        const question = { hash, attempts: [one] };
        open.set(hash, question);
        waiting.push(question);
      }
    }
  }

  async function ask({ hash, attempts }: Question): Promise<void> {
    const [first] = attempts;
    if (first === undefined) return;
    const answer = await verifier.verify(first.input, stop);
    // It was cut short: that is no answer.
    if (stop.aborted) return;
    open.delete(hash);
    for (const one of attempts) judged.push({ ...one, answer, isCached: one !== first });
    if (isKept(answer)) fresh.push({ hash, answer });
  }

  function inBackground(work: Promise<void>, after: () => void): void {
    work
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        after();
        startMore();
        wake();
      });
  }

  function startMore(): void {
    if (failure !== null || stop.aborted) return;
    while (inFlight < concurrency) {
      const question = waiting.shift();
      if (question === undefined) break;
      inFlight += 1;
      inBackground(ask(question), () => {
        inFlight -= 1;
      });
    }
    if (isAtEnd || isReading || waiting.length >= concurrency) return;
    isReading = true;
    inBackground(readPage(), () => {
      isReading = false;
    });
  }

  async function handOver(): Promise<void> {
    const [given, kept] = [judged, fresh];
    judged = [];
    fresh = [];
    await keepAll(cache, verifier, kept);
    await give(given);
    for (const one of given) tally.count({ ...one, rolloutId: one.attempt.rollout_id });
    run.onProgress(tally.progress());
  }

  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    startMore();
    for (;;) {
      if (signal.aborted) throw interrupted();
      if (failure !== null) throw failure;
      if (judged.length > 0) await handOver();
      else if (isAtEnd && inFlight === 0 && waiting.length === 0) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    return tally.counts();
  } catch (error) {
    // What was answered and paid for is not asked again; why it ended is said, whatever becomes of this.
    await keepAll(cache, verifier, fresh).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    ended.abort();
    await pages.return?.();
  }
}

/** A fault of the verifier may be gone the next time. */
function isKept({ status }: VerifierAnswer): boolean {
  return status === 'scored' || status === 'not_run' || status === 'missing' || status === 'refused';
}

function refusal(why: string): VerifierAnswer {
  return { status: 'refused', rewards: {}, report: why, cost: null, durationMs: 0 };
}

async function findAll(
  cache: VerifierCache,
  verifier: Verifier,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, VerifierAnswer>> {
  const found = new Map<string, VerifierAnswer>();
  for (let from = 0; from < hashes.length; from += MOST_RESULTS) {
    const some = await cache.find(verifier, hashes.slice(from, from + MOST_RESULTS));
    for (const [hash, answer] of some) found.set(hash, answer);
  }
  return found;
}

async function keepAll(cache: VerifierCache, verifier: Verifier, answers: readonly KeptAnswer[]): Promise<void> {
  for (let from = 0; from < answers.length; from += MOST_RESULTS)
    await cache.keep(verifier, answers.slice(from, from + MOST_RESULTS));
}

function interrupted(): RollstreamError {
  return new RollstreamError(
    'RS_INTERRUPTED',
    'interrupted; what was answered is kept, and asking again goes on from it',
  );
}
