import { setImmediate } from 'node:timers/promises';
import { createOneAtATime } from '../one-at-a-time.ts';

/** Does short work that blocks: one piece in each round of the event loop, whoever asks, so that requests are answered in between. */
export type InTurns = <T>(work: () => T) => Promise<T>;

export function createInTurns(): InTurns {
  const oneAtATime = createOneAtATime();
  return function inTurns(work) {
    return oneAtATime(async () => {
      await setImmediate();
      return work();
    });
  };
}
