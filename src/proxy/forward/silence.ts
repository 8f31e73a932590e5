/** Tells when nothing was heard for so long. */
export interface Silence {
  heard(): void;
  /** Nobody listens for now: the other side may take its time. */
  pause(): void;
  resume(): void;
  /** For good. */
  stop(): void;
}

export function createSilence(ms: number, onSilent: () => void): Silence {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  let heardAt = 0;
  /** A timer that is set anew for all that is heard would cost more than to look when it was. */
  const listen = (forMs: number): void => {
    timer = setTimeout(() => {
      const leftMs = heardAt + ms - performance.now();
      if (leftMs > 0) listen(Math.ceil(leftMs));
      else onSilent();
    }, forMs);
  };
  const begin = (): void => {
    heardAt = performance.now();
    listen(ms);
  };
  const pause = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  begin();
  return {
    heard() {
      heardAt = performance.now();
    },
    pause,
    resume() {
      pause();
      if (!isStopped) begin();
    },
    stop() {
      isStopped = true;
      pause();
    },
  };
}
