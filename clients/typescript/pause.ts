export interface Pause {
  /** Until end() is called, or for so long; null: for as long as it takes. Does not keep the process alive. */
  wait(ms: number | null): Promise<void>;
  end(): void;
}

/** A wait that somebody may end early. One at a time. */
export function createPause(): Pause {
  let end = (): void => undefined;
  return {
    wait(ms) {
      return new Promise((resolve) => {
        const timer = ms === null ? null : setTimeout(resolve, ms).unref();
        end = () => {
          if (timer !== null) clearTimeout(timer);
          resolve();
        };
      });
    },
    end: () => end(),
  };
}
