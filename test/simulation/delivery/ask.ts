import type { Dispatcher } from '../../../processors/delivery/dispatcher.ts';
import type { Task } from '../../../processors/model/delivery-effects.ts';

/** A request on its way: it may be carried out more than once, by more than one dispatcher. */
export interface Query {
  /** Gives what hands over the answer. */
  task(d: Dispatcher): Task<() => void>;
  isAnswered(): boolean;
}

/** A process: it sends a request, asks again while no answer comes, and may stop for ever at any of them. */
export type Steps<T = void> = Generator<Query, T, void>;

export interface Thread {
  readonly steps: Steps;
  query: Query | null;
}

export function* ask<T>(task: (d: Dispatcher) => Task<T>): Steps<T> {
  const got: { value: T }[] = [];
  yield {
    *task(d) {
      const value = yield* task(d);
      return () => {
        if (got.length === 0) got.push({ value });
      };
    },
    isAnswered: () => got.length > 0,
  };
  const [first] = got;
  if (first === undefined) throw new Error('a process went on without an answer');
  return first.value;
}
