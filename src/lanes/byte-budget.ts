/** Bytes read and not yet committed, over all lanes of the process. Outages are back-pressure: reading stops at the limit. */
export interface ByteBudget {
  take(bytes: number): void;
  give(bytes: number): void;
  isFull(): boolean;
  /** Resolves when less than the limit is in flight, or when nobody waits for it any more. */
  free(unless: AbortSignal): Promise<void>;
  inFlight(): number;
}

/** `report` is told how much it is, at each change. */
export function createByteBudget(limitBytes: number, report: (bytes: number) => void = () => undefined): ByteBudget {
  let inFlight = 0;
  const waiting = new Set<() => void>();
  const isFull = () => inFlight >= limitBytes;
  const wakeAll = () => {
    for (const wake of waiting) wake();
  };
  return {
    take(bytes) {
      inFlight += bytes;
      report(inFlight);
    },
    give(bytes) {
      inFlight -= bytes;
      report(inFlight);
      if (!isFull()) wakeAll();
    },
    isFull,
    async free(unless) {
      while (isFull() && !unless.aborted)
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            unless.removeEventListener('abort', wake);
            resolve();
          };
          waiting.add(wake);
          unless.addEventListener('abort', wake);
        });
    },
    inFlight: () => inFlight,
  };
}
