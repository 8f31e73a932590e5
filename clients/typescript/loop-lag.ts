export interface LoopLag {
  /** Since it was last asked, ms; null: no sample yet. */
  take(): { readonly mean: number; readonly max: number; readonly n: number } | null;
  stop(): void;
}

/** How late timers of this event loop fire: a loop that is blocked makes rollouts look slow that are not. */
export function watchLoopLag(everyMs: number): LoopLag {
  let [sum, max, n] = [0, 0, 0];
  let due = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = Math.max(0, now - due);
    due = now + everyMs;
    sum += late;
    max = Math.max(max, late);
    n += 1;
  }, everyMs).unref();
  return {
    take() {
      const taken = n === 0 ? null : { mean: rounded(sum / n), max: rounded(max), n };
      [sum, max, n] = [0, 0, 0];
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
