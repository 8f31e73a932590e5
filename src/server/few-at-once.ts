/** Does so many pieces of work at once, the others in the order in which they came. null: given up before its turn came. */
export type FewAtOnce = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T | null>;

export function createFewAtOnce(most: number): FewAtOnce {
  const waiting = new Set<() => void>();
  let running = 0;

  /** false: given up. Whoever ends hands its place over, so that `running` stays. */
  const turn = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const leave = (hasTurn: boolean): void => {
        waiting.delete(come);
        signal.removeEventListener('abort', giveUp);
        resolve(hasTurn);
      };
      const come = (): void => leave(true);
      const giveUp = (): void => leave(false);
      waiting.add(come);
      signal.addEventListener('abort', giveUp);
    });

  return async function fewAtOnce(signal, work) {
    if (signal.aborted) return null;
    if (running < most) running += 1;
    else if (!(await turn(signal))) return null;
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
