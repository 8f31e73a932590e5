import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../../src/broker/port.ts';
import { laneGroup, topicNames } from '../../src/config/topics.ts';

const ASK_EVERY_MS = 500;

/** Records of rollout.steps that the group has not committed yet. */
export async function lagOf(broker: Broker, prefix = ''): Promise<number> {
  const { steps } = topicNames(prefix);
  let lag = 0;
  for (let partition = 0; partition < (await broker.partitionsOf(steps)); partition += 1) {
    const { start, end } = await broker.bounds(steps, partition);
    if (end === start) continue;
    const commit = await broker.committed(laneGroup(prefix), steps, partition);
    lag += Math.max(0, end - (commit?.offset ?? start));
  }
  return lag;
}

/** Resolves once there is no lag; throws after `patienceMs`. */
export async function untilDrained(broker: Broker, patienceMs: number, prefix = ''): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const lag = await lagOf(broker, prefix);
    if (lag === 0) return;
    if (performance.now() > deadline) throw new Error(`${lag} records are left after ${patienceMs} ms`);
    await sleep(ASK_EVERY_MS);
  }
}
