import type { Alarm } from './alarm.ts';
import { type Asks, createQueue, type Parked } from './parked.ts';

/** Requests of one run that wait for more. */
export interface WaitingRoom<Answer> {
  readonly size: number;
  /** Evaluated at once; when there is not enough, again whenever `changed` says so, and a last time after `waitMs`. */
  ask(asks: Asks<Answer>, waitMs: number, signal: AbortSignal): Promise<Answer>;
  /** Something of the run is not as it was: entries came, a lease ended, weights were announced. */
  changed(): void;
  /** Nobody waits any longer: each is told this. */
  empty(error: unknown): void;
}

export interface RoomDeps {
  readonly alarm: Alarm;
  /** What who gave up is told. */
  readonly givenUp: () => Error;
  /** One more waits. */
  readonly parked: () => void;
}

/**
 * Idle, it costs nothing. A change evaluates the first of each kind and, while there is enough, those behind it: all that wait
 * for the same stay pending together. Whoever has the key of one that was answered is answered the same, at once:
 * 1 ranks 0 and 1 wait under one key; 2 the wait of rank 0 is over, "again" is written; 3 data comes; 4 rank 1, had it gone on
 * waiting, would still hear "again", but after a minute in which rank 0 has gone ahead.
 */
export function createWaitingRoom<Answer>({ alarm, givenUp, parked: told }: RoomDeps): WaitingRoom<Answer> {
  const queue = createQueue<Answer>();
  let isPumping = false;
  let isStale = false;
  let changes = 0;

  /** True: it is done. */
  const evaluate = async (parked: Parked<Answer>): Promise<boolean> => {
    parked.isAsked = true;
    try {
      const answer = await parked.asks.evaluate(!parked.isOver);
      if (answer !== null) parked.settle(answer);
    } catch (error) {
      parked.fail(error);
    } finally {
      parked.isAsked = false;
    }
    return parked.isDone;
  };

  const finish = async (parked: Parked<Answer>): Promise<boolean> => {
    const isDone = await evaluate(parked);
    // Its wait ended while it was looked at: whoever ended it left the last word to this.
    if (!isDone && parked.isOver) await evaluate(parked);
    const { key } = parked.asks;
    if (parked.isDone && key !== null)
      for (const other of queue.ofKey(key)) if (!other.isAsked && !other.isDone) await evaluate(other);
    return parked.isDone;
  };

  const pump = async (): Promise<void> => {
    if (isPumping) {
      isStale = true;
      return;
    }
    isPumping = true;
    do {
      isStale = false;
      const blocked = new Set<string>();
      for (let next = queue.first(blocked); next !== null; next = queue.first(blocked))
        if (!(await finish(next))) blocked.add(next.asks.kind);
    } while (isStale);
    isPumping = false;
  };

  const park = (asks: Asks<Answer>, waitMs: number, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        parked.isDone = true;
        queue.remove(parked);
        stop();
        signal.removeEventListener('abort', giveUp);
      };
      const parked: Parked<Answer> = {
        asks,
        isOver: false,
        isAsked: false,
        isDone: false,
        settle(answer) {
          done();
          resolve(answer);
        },
        fail(error) {
          done();
          reject(error);
        },
      };
      const giveUp = (): void => parked.fail(givenUp());
      const stop = alarm(waitMs, () => {
        parked.isOver = true;
        if (!parked.isAsked) void finish(parked);
      });
      queue.add(parked);
      signal.addEventListener('abort', giveUp, { once: true });
      told();
    });

  return {
    get size() {
      return queue.size;
    },
    async ask(asks, waitMs, signal) {
      if (signal.aborted) throw givenUp();
      const before = changes;
      const answer = await asks.evaluate(waitMs > 0);
      if (answer === null) {
        if (signal.aborted) throw givenUp();
        const parked = park(asks, waitMs, signal);
        // What came between its evaluation and its place in the queue woke nobody.
        if (changes !== before) void pump();
        return parked;
      }
      // Ranks that wait under its key need wait no longer.
      if (asks.key !== null)
        for (const other of queue.ofKey(asks.key)) if (!other.isAsked && !other.isDone) await evaluate(other);
      return answer;
    },
    changed() {
      changes += 1;
      if (queue.size > 0) void pump();
    },
    empty(error) {
      for (const parked of queue.all()) parked.fail(error);
    },
  };
}
