import { type ErrorCode, RollstreamError } from '../errors.ts';
import type { Random } from './random.ts';

/** Who calls. A dead one never hears an answer, but what it had sent may still arrive. */
export interface Caller {
  readonly name: string;
  dead: boolean;
}

/** A call of a port that waits for the scheduler: nothing happens before it is its turn. */
export interface Call {
  readonly caller: Caller;
  readonly what: string;
  /** It takes effect and is answered. */
  answer(): void;
  /** It takes effect or not, and fails as an outage does; null: it cannot fail. */
  readonly fail: ((takesEffect: boolean) => void) | null;
}

/** Time and order: every await of a lane is a call in here, and the seed says which goes on. */
export interface Scheduler {
  readonly clock: { nowMs: number };
  readonly calls: Call[];
  call<T>(caller: Caller, what: string, outage: ErrorCode | null, effect: () => T): Promise<T>;
  /** Resolves when every caller waits for one of its calls. */
  settle(): Promise<void>;
  /** Takes one of the calls out. */
  take(random: Random, of: (call: Call) => boolean): Call | null;
}

export function createScheduler(): Scheduler {
  const calls: Call[] = [];
  return {
    clock: { nowMs: 1_700_000_000_000 },
    calls,
    call<T>(caller: Caller, what: string, outage: ErrorCode | null, effect: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const attempt = (settle: (result: T) => void): void => {
          try {
            settle(effect());
          } catch (error) {
            if (!(error instanceof RollstreamError)) throw error;
            if (!caller.dead) reject(error);
          }
        };
        calls.push({
          caller,
          what,
          answer: () =>
            attempt((result) => {
              if (!caller.dead) resolve(result);
            }),
          fail:
            outage === null
              ? null
              : (takesEffect) => {
                  if (takesEffect) attempt(() => undefined);
                  reject(new RollstreamError(outage, `${what}: the simulation says no`));
                },
        });
      });
    },
    // All that a lane awaits is in here or is done within microtasks, and those end before the next turn of the event loop.
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    take(random, of) {
      const candidates = calls.filter(of);
      if (candidates.length === 0) return null;
      const call = random.pick(candidates);
      calls.splice(calls.indexOf(call), 1);
      return call;
    },
  };
}
