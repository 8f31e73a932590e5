import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createReplays } from '../../src/rescore/create-replays.ts';
import { appendEvents, openBenchApp } from './bench-app.ts';
import { replayAlone } from './replay-alone.ts';
import { groupEvents, MEMBERS } from './replay-events.ts';

/**
 * A lane that decides groups as they come, and how long each takes from its last event to the ready topic; with `replaying` one
 * replay of all that is decided follows the other meanwhile. Prints the times in ms.
 */
const [, , data = '', seconds = '10', perSecond = '5', mode = 'alone'] = process.argv;
const POLL_MS = 20;
const app = await openBenchApp(data, true);
const replays = createReplays(app, { log: pino({ level: 'silent' }), isAlone: true });
const isReplaying = mode === 'replaying';
const run = `live-${mode}`;
const groups = Math.ceil(Number(seconds) * Number(perSecond));
const events = groupEvents(run, groups, 512);
const perGroup = events.length / groups;
const sentAt = new Map<string, number>();
const tookMs: number[] = [];
let isOver = false;
let replayed = 0;

async function replayOn(): Promise<void> {
  while (!isOver) {
    const { replayId, ...rest } = await replayAlone('dapo', 'store');
    await replays.start({ ...rest, replayId });
    let status = await replays.status(replayId);
    while (status.state === 'running' && !isOver) {
      await sleep(POLL_MS);
      status = await replays.status(replayId);
    }
    if (status.error !== null) throw new Error(status.error.message);
    replayed += status.attempts;
  }
}

async function listen(from: number): Promise<void> {
  let offset = from;
  for (let left = groups * MEMBERS; left > 0; ) {
    const records = await app.broker.read(app.topics.ready, 0, offset, { maxBytes: 2 ** 22, maxWaitMs: 100 });
    const now = performance.now();
    for (const { key, offset: at } of records) {
      offset = at + 1;
      const sent = sentAt.get(key?.toString() ?? '');
      if (sent === undefined) continue;
      left -= 1;
      tookMs.push(now - sent);
    }
  }
}

const { end } = await app.broker.bounds(app.topics.ready, 0);
const replaying = isReplaying ? replayOn() : null;
replaying?.catch(() => undefined);
const began = performance.now();
const listening = listen(end);
for (let group = 0; group < groups; group++) {
  const wait = began + (1000 * group) / Number(perSecond) - performance.now();
  if (wait > 0) await sleep(wait);
  sentAt.set(`${run}/0/g/${run}-${group}`, performance.now());
  await appendEvents(app, events.slice(group * perGroup, (group + 1) * perGroup));
}
await listening;
isOver = true;
await replaying;
const tookS = (performance.now() - began) / 1000;
await replays.close();
await app.close();
process.stdout.write(JSON.stringify({ tookMs, replayedPerS: replayed / tookS }));
