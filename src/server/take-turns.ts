import { RollstreamError } from '../errors.ts';
import { createFewAtOnce } from './few-at-once.ts';

/** Heavy work for a client, in its turn. Throws RS_BUSY where too many wait, RS_INTERRUPTED where the client left before its turn. */
export type TakeTurns = <T>(client: AbortSignal, work: () => Promise<T>) => Promise<T>;

export interface TurnLimits {
  readonly atOnce: number;
  /** Who comes when so many wait is sent away at once. */
  readonly waiting: number;
  /** What they wait for, for a person. */
  readonly what: string;
}

/** What nobody waits for any more is never begun: else the work of clients that left would stand before the work of those that came. */
export function createTakeTurns({ atOnce, waiting, what }: TurnLimits): TakeTurns {
  const fewAtOnce = createFewAtOnce(atOnce);
  let here = 0;
  return async function takeTurns(client, work) {
    if (here >= atOnce + waiting)
      throw new RollstreamError('RS_BUSY', `${waiting} ${what} wait already: try again`, { facts: { retry_after: 2 } });
    here += 1;
    try {
      const done = await fewAtOnce(client, async () => ({ answer: await work() }));
      if (done === null) throw new RollstreamError('RS_INTERRUPTED', 'nobody waits for the answer any more');
      return done.answer;
    } finally {
      here -= 1;
    }
  };
}
