import type { NamedBy } from '../journal/call-head.ts';

/** Calls by the rollout that they name. */
export interface CallsInFlight {
  /** What it answers with is called once the call is over. */
  began(named: NamedBy): () => void;
  /** Resolves once the calls of the rollout that are in flight now are over, but after this time in any case. */
  over(named: NamedBy, mostMs: number): Promise<void>;
}

/** `defaultRun`: of calls that name none. */
export function createCallsInFlight(defaultRun: string): CallsInFlight {
  const byRollout = new Map<string, Set<Promise<void>>>();
  const keyOf = ({ run, rollout }: NamedBy): string => JSON.stringify([run ?? defaultRun, rollout]);
  return {
    began(named) {
      const key = keyOf(named);
      const calls = byRollout.get(key) ?? new Set();
      byRollout.set(key, calls);
      let end = (): void => {};
      const call = new Promise<void>((resolve) => {
        end = resolve;
      });
      calls.add(call);
      return () => {
        calls.delete(call);
        if (calls.size === 0) byRollout.delete(key);
        end();
      };
    },
    async over(named, mostMs) {
      const calls = byRollout.get(keyOf(named));
      if (calls === undefined) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, mostMs);
      });
      await Promise.race([Promise.all(calls), late]);
      clearTimeout(timer);
    },
  };
}
