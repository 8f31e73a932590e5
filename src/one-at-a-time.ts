/** Does one piece of work at a time, in the order in which they were asked for. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return function oneAtATime(work) {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
