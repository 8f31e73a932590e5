import type { Logger } from 'pino';
import { RollstreamError } from '../errors.ts';
import type { Sleep } from './sleep.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

export interface RetryOutageDeps {
  readonly log: Logger;
  readonly sleep: Sleep;
  /** Aborted when waiting for an outage to end must stop. */
  readonly ended: AbortSignal;
}

export type RetryOutage = <T>(what: string, work: () => Promise<T>) => Promise<T>;

/**
 * Does `work` until it succeeds or fails for good. An outage is back-pressure: it waits, longer each time, says so once when it
 * begins and once when it is over, and drops nothing. The outcome of a failed try may be unknown: work must be safe to repeat.
 */
export function createRetryOutage({ log, sleep, ended }: RetryOutageDeps): RetryOutage {
  return async function retryOutage(what, work) {
    let waitMs = FIRST_WAIT_MS;
    for (let tries = 1; ; tries++) {
      try {
        const result = await work();
        if (tries > 1) log.warn({ what, tries }, 'works again');
        return result;
      } catch (error) {
        if (!isOutage(error) || ended.aborted) throw error;
        if (tries === 1) log.warn({ what, err: error }, 'does not work; waiting for it');
      }
      await sleep(waitMs, ended);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  };
}

/** Trying again can help. */
export function isOutage(error: unknown): boolean {
  return error instanceof RollstreamError && error.retriable;
}
