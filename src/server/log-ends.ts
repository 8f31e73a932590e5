import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../broker/port.ts';
import type { LaneStatus } from '../lanes/lanes.ts';

/** Lanes with the end of their log as the broker has it: one that waits for an outage to end does not see it grow. */
export interface LogEnds {
  status(): LaneStatus[];
  close(): void;
}

export interface LogEndsDeps {
  readonly broker: Pick<Broker, 'bounds'>;
  readonly topic: string;
  readonly status: () => readonly LaneStatus[];
  readonly everyMs: number;
}

export function watchLogEnds({ broker, topic, status, everyMs }: LogEndsDeps): LogEnds {
  const stopped = new AbortController();
  const ends = new Map<number, number>();

  async function look(): Promise<void> {
    for (const { partition } of status()) {
      if (stopped.signal.aborted) return;
      // An outage of the broker is told elsewhere; until it is over, the last answer stands.
      const end = await broker.bounds(topic, partition).then(
        (bounds) => bounds.end,
        () => 0,
      );
      ends.set(partition, Math.max(end, ends.get(partition) ?? 0));
    }
  }

  async function watch(): Promise<void> {
    while (!stopped.signal.aborted) {
      await look();
      await sleep(everyMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    }
  }
  void watch();

  return {
    status: () => status().map((lane) => ({ ...lane, logEnd: Math.max(lane.logEnd, ends.get(lane.partition) ?? 0) })),
    close: () => stopped.abort(),
  };
}
