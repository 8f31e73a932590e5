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
  let timer: NodeJS.Timeout | null = setTimeout(onSilent, ms);
  let isStopped = false;
  const pause = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  return {
    heard: () => timer?.refresh(),
    pause,
    resume() {
      pause();
      if (!isStopped) timer = setTimeout(onSilent, ms);
    },
    stop() {
      isStopped = true;
      pause();
    },
  };
}
