import { RollstreamError } from '../../errors.ts';
import type { RunQuota, RunRules } from '../../runs/quota.ts';
import { createQuotaBucket, type QuotaBucket } from '../../runs/quota-bucket.ts';
import { createHeldBytes, type HeldBytes, type Share } from './ingest-budget.ts';

/** What each run takes of the ingest that all share. */
export interface RunLimits {
  /** One body that is read now. */
  begin(): BodyLimits;
  /** Runs that are remembered, since they hold something or have overdrawn. */
  remembered(): number;
}

/** What one body takes of its runs. All of it throws RS_RUN_QUOTA. */
export interface BodyLimits {
  /** Before any of its records is read, where it is known that all are of this run: `bytes` are set aside for it. */
  reserve(run: string, bytes: number): void;
  /** One more record; `bytes` are set aside for its run, where it is the first of it. */
  take(run: string, bytes: number): void;
  /** The body holds so many bytes now, for each of its runs. */
  hold(bytes: number): void;
  release(): void;
}

interface RunBooks {
  readonly bucket: QuotaBucket;
  readonly bytes: HeldBytes;
  /** The one body that goes on though nothing is left; null: none does. Many at once would be a burst of all of them. */
  overdrawing: BodyOfRun | null;
}

interface BodyOfRun {
  readonly quota: RunQuota;
  readonly books: RunBooks | null;
  readonly share: Share | null;
  isBegun: boolean;
}

/** Looked through for those that owe nothing, so that names nobody sends to any more cost no memory. */
const SWEEP_AT = 1_000;

/** `now` in ms, of a clock that nobody sets. A run without quotas costs nothing and is not remembered. */
export function createRunLimits(rules: RunRules, now: () => number): RunLimits {
  const kept = new Map<string, RunBooks>();
  let sweepAt = SWEEP_AT;

  function booksOf(run: string, { eventsPerSecond }: RunQuota): RunBooks {
    const found = kept.get(run);
    if (found !== undefined) return found;
    if (kept.size >= sweepAt) sweep();
    const bucket = createQuotaBucket(eventsPerSecond ?? Number.POSITIVE_INFINITY, now());
    const made: RunBooks = { bucket, bytes: createHeldBytes(), overdrawing: null };
    kept.set(run, made);
    return made;
  }

  function sweep(): void {
    for (const [run, { bucket, bytes }] of kept) {
      const { eventsPerSecond } = rules.of(run);
      const owesEvents = eventsPerSecond !== null && !bucket.isFull(eventsPerSecond, now());
      if (bytes.held() === 0 && !owesEvents) kept.delete(run);
    }
    sweepAt = Math.max(SWEEP_AT, 2 * kept.size);
  }

  function mayGoOn(of: BodyOfRun, books: RunBooks, rate: number): boolean {
    if (books.bucket.isLeft(rate, now())) return true;
    if (!of.isBegun || (books.overdrawing !== null && books.overdrawing !== of)) return false;
    books.overdrawing = of;
    return true;
  }

  function begin(): BodyLimits {
    const runs = new Map<string, BodyOfRun>();
    let last: { readonly run: string; readonly of: BodyOfRun } | null = null;

    function join(run: string, bytes: number): BodyOfRun {
      const found = last?.run === run ? last.of : runs.get(run);
      if (found !== undefined) return found;
      const quota = rules.of(run);
      const isFree = quota.eventsPerSecond === null && quota.inFlightBytes === null;
      const books = isFree ? null : booksOf(run, quota);
      const { inFlightBytes } = quota;
      const share =
        books === null || inFlightBytes === null
          ? null
          : books.bytes.admit(bytes, inFlightBytes, (held) => tooManyBytes(run, held, inFlightBytes));
      const joined = { quota, books, share, isBegun: false };
      runs.set(run, joined);
      last = { run, of: joined };
      return joined;
    }

    return {
      reserve: (run, bytes) => void join(run, bytes),
      take(run, bytes) {
        const of = join(run, bytes);
        last = { run, of };
        const { eventsPerSecond: rate } = of.quota;
        if (of.books === null || rate === null) return;
        const { bucket } = of.books;
        if (!mayGoOn(of, of.books, rate) || !bucket.take(rate, now()))
          throw tooManyEvents(run, rate, bucket.waitSeconds(rate, now()));
        of.isBegun = true;
      },
      hold(bytes) {
        for (const { share } of runs.values()) share?.hold(bytes);
      },
      release() {
        for (const of of runs.values()) {
          of.share?.release();
          if (of.books?.overdrawing === of) of.books.overdrawing = null;
        }
        runs.clear();
        last = null;
      },
    };
  }

  return { begin, remembered: () => kept.size };
}

function tooManyEvents(run: string, perSecond: number, seconds: number): RollstreamError {
  const message = `run ${shown(run)} sends more than its ${perSecond} events a second: send the rest again in ${seconds} s`;
  return new RollstreamError('RS_RUN_QUOTA', message, {
    facts: { field: 'run_id', reason: 'events_per_second', run, retry_after: seconds },
  });
}

function tooManyBytes(run: string, held: number, limit: number): RollstreamError {
  const message = `other requests of run ${shown(run)} hold ${held} of its ${limit} bytes in flight: send the rest again in a moment`;
  return new RollstreamError('RS_RUN_QUOTA', message, { facts: { field: 'run_id', reason: 'in_flight', run } });
}

const MOST_CHARACTERS = 200;

function shown(run: string): string {
  return JSON.stringify((run.length > MOST_CHARACTERS ? `${run.slice(0, MOST_CHARACTERS)}…` : run).toWellFormed());
}
