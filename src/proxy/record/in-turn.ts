export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** So many things are done at once; others wait in the order in which they came. */
export function createInTurn(most: number): InTurn {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
