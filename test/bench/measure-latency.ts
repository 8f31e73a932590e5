import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { App } from '../../src/app.ts';
import { createReplays } from '../../src/rescore/create-replays.ts';
import { appendEvents, openBenchApp } from './bench-app.ts';
import { replayAlone } from './replay-alone.ts';
import { groupEvents, MEMBERS } from './replay-events.ts';

export interface Waited {
  /** Of each trajectory, from the append of its group's last event to when it is read from the ready topic. */
  readonly tookMs: readonly number[];
  /** Attempts a second that were replayed meanwhile. */
  readonly replayedPerS: number;
}

const POLL_MS = 20;

/**
 * A lane that decides groups as they come, so many a second; with `isReplaying` one replay of all that is decided follows the other
 * meanwhile.
 */
export async function measureLatency(
  data: string,
  seconds: number,
  perSecond: number,
  isReplaying: boolean,
): Promise<Waited> {
  const run = isReplaying ? 'beside' : 'alone';
  const groups = Math.ceil(seconds * perSecond);
  const events = groupEvents(run, groups, 512);
  const perGroup = events.length / groups;
  const app = await openBenchApp(data, true);
  const over = new AbortController();
  try {
    const { end } = await app.broker.bounds(app.topics.ready, 0);
    const sentAt = new Map<string, number>();
    const began = performance.now();
    const replaying = isReplaying ? replayOn(app, over.signal) : null;
    replaying?.catch(() => undefined);
    const listening = listen(app, end, groups * MEMBERS, sentAt);
    for (let group = 0; group < groups; group++) {
      const wait = began + (1000 * group) / perSecond - performance.now();
      if (wait > 0) await sleep(wait);
      sentAt.set(`${run}/0/g/${run}-${group}`, performance.now());
      await appendEvents(app, events.slice(group * perGroup, (group + 1) * perGroup));
    }
    const tookMs = await listening;
    over.abort();
    const replayed = (await replaying) ?? 0;
    return { tookMs, replayedPerS: replayed / ((performance.now() - began) / 1000) };
  } finally {
    await app.close();
  }
}

/** Attempts that were replayed until it is over. */
async function replayOn(app: App, over: AbortSignal): Promise<number> {
  const replays = createReplays(app, { log: pino({ level: 'silent' }), isAlone: true });
  let replayed = 0;
  while (!over.aborted) {
    const request = await replayAlone('dapo', 'store');
    let status = await replays.start(request);
    while (status.state === 'running' && !over.aborted) {
      await sleep(POLL_MS);
      status = await replays.status(request.replayId);
    }
    if (status.error !== null) throw new Error(status.error.message);
    replayed += status.attempts;
  }
  await replays.close();
  return replayed;
}

async function listen(app: App, from: number, count: number, sentAt: ReadonlyMap<string, number>): Promise<number[]> {
  const tookMs: number[] = [];
  for (let offset = from; tookMs.length < count; ) {
    const records = await app.broker.read(app.topics.ready, 0, offset, { maxBytes: 2 ** 22, maxWaitMs: 100 });
    const now = performance.now();
    for (const { key, offset: at } of records) {
      offset = at + 1;
      const sent = sentAt.get(key?.toString() ?? '');
      if (sent !== undefined) tookMs.push(now - sent);
    }
  }
  return tookMs;
}
