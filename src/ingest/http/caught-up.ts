import { setTimeout as sleep } from 'node:timers/promises';

/** Whether what was on the log at the call has been folded and stored; false: not yet, after a while. */
export type CaughtUp = () => Promise<boolean>;

/**
 * A wait makes the lanes flush at once. Of those who ask meanwhile all get the next one together: there is never more than a flush
 * after another, however many ask.
 */
export function createCaughtUp(drained: () => Promise<void>, waitMs: number): CaughtUp {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function begin(): Promise<void> {
    const mine = drained().finally(() => {
      if (current === mine) current = null;
    });
    current = mine;
    next = null;
    return mine;
  }

  return async function caughtUp() {
    // One that began before may not have seen what is asked about.
    if (current !== null) next ??= current.then(begin, begin);
    const mine = next ?? begin();
    const over = new AbortController();
    const late = sleep(waitMs, false, { signal: over.signal }).catch(() => false);
    try {
      return await Promise.race([mine.then(() => true), late]);
    } finally {
      over.abort();
    }
  };
}
