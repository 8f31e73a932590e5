/** Bytes read and not yet committed, over all lanes of the process. Outages are back-pressure: reading stops at the limit. */
export interface ByteBudget {
  take(bytes: number): void;
  give(bytes: number): void;
  /** Resolves when less than the limit is in flight. */
  free(): Promise<void>;
  inFlight(): number;
}

export function createByteBudget(limitBytes: number): ByteBudget {
  let inFlight = 0;
  let waiting: Array<() => void> = [];
  return {
    take(bytes) {
      inFlight += bytes;
    },
    give(bytes) {
      inFlight -= bytes;
      if (inFlight >= limitBytes) return;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    async free() {
      while (inFlight >= limitBytes) await new Promise<void>((wake) => waiting.push(wake));
    },
    inFlight: () => inFlight,
  };
}
