import { RollstreamError } from '../errors.ts';
import type { CommandContext } from './context.ts';

/** After the first signal a command has so long to close. */
const CLOSE_MS = 10_000;
const SIGNALLED = 130;

export interface Stopping {
  readonly signal: AbortSignal;
  /** Signals are as before again. */
  forget(): void;
}

/** The first SIGINT or SIGTERM asks to close, the second ends the process at once; so does a close that takes too long. */
export function stopping({ io, say, warn }: Pick<CommandContext, 'io' | 'say' | 'warn'>): Stopping {
  const asked = new AbortController();
  let overdue: NodeJS.Timeout | undefined;
  const forget = io.onStop(() => {
    if (asked.signal.aborted) return io.exitNow(SIGNALLED);
    say('closing (again to end at once)');
    asked.abort();
    overdue = setTimeout(() => {
      warn('closing took too long; the next start recovers what was not committed');
      io.exitNow(3);
    }, CLOSE_MS);
    overdue.unref();
  });
  return {
    signal: asked.signal,
    forget() {
      clearTimeout(overdue);
      forget();
    },
  };
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Rejects with RS_INTERRUPTED once it is asked to stop. */
export async function interruption(stopped: AbortSignal): Promise<never> {
  await aborted(stopped);
  throw interrupted();
}

export function interrupted(): RollstreamError {
  return new RollstreamError(
    'RS_INTERRUPTED',
    'interrupted; what was read is kept, and importing again goes on from it',
  );
}
