import type { Logger } from 'pino';
import type { LaneStatus } from '../lanes/lanes.ts';
import { isOutage } from '../lanes/retry-outage.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { LookAtGates } from './look-at-gates.ts';

export interface EvaluatorDeps {
  /** Of the lanes of this process: whoever works on partition 0 evaluates. */
  readonly status: () => readonly LaneStatus[];
  /** Makes one that trusts nothing but the store. */
  readonly createLook: () => LookAtGates;
  readonly sleep: Sleep;
  readonly log: Logger;
  readonly intervalMs: number;
}

export interface GateEvaluator {
  /** A look that is under way ends first. */
  close(): Promise<void>;
}

/**
 * Looks at the gates again and again, from one interval after the start on, while partition 0 is this process's. No two looks at
 * a time. An outage is waited for; whatever else goes wrong is said, and the next look tries again: nothing that was held leaves
 * meanwhile.
 */
export function startGateEvaluator({ status, createLook, sleep, log, intervalMs }: EvaluatorDeps): GateEvaluator {
  const closing = new AbortController();
  const run = async (): Promise<void> => {
    let look: LookAtGates | null = null;
    let isFailing = false;
    for (;;) {
      await sleep(intervalMs, closing.signal);
      if (closing.signal.aborted) return;
      if (!status().some(({ partition, restored }) => partition === 0 && restored)) {
        look = null;
        continue;
      }
      look ??= createLook();
      try {
        await look();
        if (isFailing) log.warn('looking at the gates works again');
        isFailing = false;
      } catch (error) {
        if (!isFailing)
          log[isOutage(error) ? 'warn' : 'error']({ err: error }, 'looking at the gates failed; tried again');
        isFailing = true;
      }
    }
  };
  const ended = run();
  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}
