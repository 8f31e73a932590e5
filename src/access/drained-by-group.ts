import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../broker/port.ts';

const ASK_EVERY_MS = 100;

/** Resolves when the group has committed all that is on the topic now, whoever its members are; and when `stopped` fires. */
export async function drainedByGroup(
  broker: Broker,
  { group, topic }: { readonly group: string; readonly topic: string },
  stopped: AbortSignal,
): Promise<void> {
  const partitions = await broker.partitionsOf(topic);
  for (let partition = 0; partition < partitions && !stopped.aborted; partition += 1) {
    const { start, end } = await broker.bounds(topic, partition);
    while (!stopped.aborted && end > start) {
      const commit = await broker.committed(group, topic, partition);
      if (commit !== null && commit.offset >= end) break;
      await sleep(ASK_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
}
