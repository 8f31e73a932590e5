/** Waits, or less when `wakeUp` is aborted. Injected, so that a simulation need not wait. */
export type Sleep = (ms: number, wakeUp: AbortSignal) => Promise<void>;

/** By the machine's clock. */
export const sleep: Sleep = (ms, wakeUp) =>
  new Promise((resolve) => {
    if (wakeUp.aborted) {
      resolve();
      return;
    }
    const wake = () => {
      clearTimeout(timer);
      wakeUp.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    wakeUp.addEventListener('abort', wake);
  });
