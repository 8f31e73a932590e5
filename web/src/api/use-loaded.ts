import { useEffect, useState } from 'preact/hooks';

/** `value`: the last one that came, also while the next one loads or after it failed; null: none yet. */
export interface Loaded<Value> {
  readonly value: Value | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Pause between two questions, in the time that the last one took: a tenth of the time at most is spent on it. */
const PAUSE_PER_ANSWER = 9;

/**
 * What `load` answers, asked again whenever `key` changes, and every `refreshMs` while the page is seen. What was asked for another
 * key is given up, and never shown. A question that takes long is asked less often: the store has more to do than to be watched.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  refreshMs: number | null = null,
): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value> & { readonly key: string }>(() => nothingOf(key));

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const began = performance.now();
      setLoaded((last) => ({ ...(last.key === key ? last : nothingOf<Value>(key)), isLoading: true }));
      try {
        const value = await load(stop.signal);
        if (!stop.signal.aborted) setLoaded({ key, value, error: null, isLoading: false });
      } catch (error) {
        if (stop.signal.aborted) return;
        const told = error instanceof Error ? error : new Error(String(error));
        setLoaded((last) => ({ ...last, error: told, isLoading: false }));
      }
      if (refreshMs === null || stop.signal.aborted) return;
      timer = setTimeout(askIfSeen, Math.max(refreshMs, PAUSE_PER_ANSWER * (performance.now() - began)));
    };
    const askIfSeen = (): void => {
      if (document.hidden) timer = setTimeout(askIfSeen, refreshMs ?? 0);
      else void ask();
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, refreshMs]);

  return loaded.key === key ? loaded : nothingOf(key);
}

function nothingOf<Value>(key: string): Loaded<Value> & { readonly key: string } {
  return { key, value: null, error: null, isLoading: true };
}
