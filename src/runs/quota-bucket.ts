/** Events of one run over time, so many a second: what it has not used it may use later, up to a second's worth. */
export interface QuotaBucket {
  /** An event may be taken without owing it: a body may begin. */
  isLeft(perSecond: number, nowMs: number): boolean;
  /** One event of a body that has begun; false: it has overdrawn as much as one body may. */
  take(perSecond: number, nowMs: number): boolean;
  /** Until a body may begin, at least one second and at most `LONGEST_WAIT_S`: who asks too early is told again. */
  waitSeconds(perSecond: number, nowMs: number): number;
  /** Nothing is owed: it is as one that was made now. */
  isFull(perSecond: number, nowMs: number): boolean;
}

/**
 * A body that has begun goes on to its end though nothing is left, and later ones wait until that is made up for. Were it cut where
 * the second's worth ends: 1 a recorder sends 5000 events, 100 a second; 2 the first 100 are taken, and it is told to wait; 3 it sends
 * the same 5000 again, of which the same 100 are taken; so it never gets to its end. Recorders send at most half as many at once. Only one body of a run overdraws at a time.
 */
export const MOST_OVERDRAWN = 10_000;
const LONGEST_WAIT_S = 60;
/** Of many small refills: whoever waits as long as it was told is not sent away. */
const ROUNDING = 1e-6;

/** What is saved up: a second's worth, and one event at least, since less than one lets no body begin, however long it waits. */
function mostOf(perSecond: number): number {
  return Math.max(1, perSecond);
}

/** `nowMs` of a clock that nobody sets. */
export function createQuotaBucket(perSecond: number, nowMs: number): QuotaBucket {
  /** Events that may be taken; below 0: overdrawn. */
  let level = mostOf(perSecond);
  let atMs = nowMs;
  const refill = (rate: number, now: number): void => {
    level = Math.min(mostOf(rate), level + ((now - atMs) / 1000) * rate);
    atMs = now;
  };
  return {
    isLeft(rate, now) {
      refill(rate, now);
      return level >= 1 - ROUNDING;
    },
    take(rate, now) {
      refill(rate, now);
      if (level - 1 < -MOST_OVERDRAWN) return false;
      level -= 1;
      return true;
    },
    waitSeconds(rate, now) {
      refill(rate, now);
      return Math.min(LONGEST_WAIT_S, Math.max(1, Math.ceil((1 - ROUNDING - level) / rate)));
    },
    isFull(rate, now) {
      refill(rate, now);
      return level >= mostOf(rate);
    },
  };
}
