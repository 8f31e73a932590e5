import type { Logger } from 'pino';
import { RollstreamError } from '../errors.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/**
 * Does `work` until it succeeds or fails for good. An outage is back-pressure: it waits, longer each time, says so once when it
 * begins and once when it is over, and drops nothing. The outcome of a failed try may be unknown: work must be safe to repeat.
 */
export async function retryOutage<T>(
  log: Logger,
  what: string,
  stopped: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let waitMs = FIRST_WAIT_MS;
  for (let tries = 1; ; tries++) {
    try {
      const result = await work();
      if (tries > 1) log.warn({ what, tries }, 'works again');
      return result;
    } catch (error) {
      if (!(error instanceof RollstreamError && error.retriable) || stopped.aborted) throw error;
      if (tries === 1) log.warn({ what, err: error }, 'does not work; waiting for it');
    }
    await sleep(waitMs, stopped);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

function sleep(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    stopped.addEventListener('abort', wake);
  });
}
