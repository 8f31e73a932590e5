import { frontError } from './front-error.ts';

/** Runs so many at once; the others wait in order, and more than can wait are refused. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

export function createSlots(count: number, longestQueue: number): Slots {
  const waiting: Array<() => void> = [];
  let running = 0;

  return async function inSlot(work) {
    if (running >= count) {
      if (waiting.length >= longestQueue) {
        throw frontError('TOO_MANY_SIMULTANEOUS_QUERIES', `Too many queries: ${longestQueue} are waiting`);
      }
      // Whoever ends hands its slot over, so that `running` stays.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
