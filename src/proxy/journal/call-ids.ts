import { randomBytes } from 'node:crypto';

/** Ids of calls: unlike those of other processes, and sorted by when the calls began, also where the clock steps back. */
export function createCallIds(): (startedAtUs: number) => string {
  const tag = randomBytes(4).toString('hex');
  let last = 0;
  return function nextCallId(startedAtUs) {
    last = Math.max(last + 1, startedAtUs);
    return `${String(last).padStart(17, '0')}-${tag}`;
  };
}
