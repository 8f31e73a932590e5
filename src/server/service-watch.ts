import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A service that this process needs, and a small request that shows whether it answers. */
export interface WatchedService {
  readonly name: string;
  ask(): Promise<unknown>;
}

/** Asks each service now and then: an outage is seen before anything has to be written. */
export interface ServiceWatch {
  /** What does not answer, each with why; '' when all of them do. */
  outage(): string;
  /** By name: whether it answered the last time. */
  status(): ReadonlyMap<string, boolean>;
  close(): void;
}

export interface ServiceWatchDeps {
  readonly log: Logger;
  readonly everyMs: number;
  /** What takes longer is an outage. */
  readonly answerMs: number;
}

export function watchServices(services: readonly WatchedService[], deps: ServiceWatchDeps): ServiceWatch {
  const { log, everyMs, answerMs } = deps;
  const stopped = new AbortController();
  const faults = new Map<string, string>();
  const known = new Map(services.map(({ name }) => [name, true]));

  async function ask({ name, ask: request }: WatchedService): Promise<void> {
    const late = new AbortController();
    const overdue = sleep(answerMs, undefined, { signal: late.signal }).then(() => {
      throw new Error(`no answer within ${answerMs} ms`);
    });
    // Whichever loses is nobody's any more.
    overdue.catch(() => undefined);
    const answer = request();
    answer.catch(() => undefined);
    try {
      await Promise.race([answer, overdue]);
      if (faults.delete(name)) log.warn({ service: name }, 'answers again');
      known.set(name, true);
    } catch (error) {
      if (stopped.signal.aborted) return;
      if (!faults.has(name)) log.warn({ service: name, err: error }, 'does not answer');
      faults.set(name, error instanceof Error ? error.message : String(error));
      known.set(name, false);
    } finally {
      late.abort();
    }
  }

  const watch = async (service: WatchedService): Promise<void> => {
    while (!stopped.signal.aborted) {
      await ask(service);
      await sleep(everyMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    }
  };
  // None rejects.
  for (const service of services) void watch(service);

  return {
    outage: () => [...faults].map(([name, why]) => `${name}: ${why}`).join('; '),
    status: () => known,
    close: () => stopped.abort(),
  };
}
