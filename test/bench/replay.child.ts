import { pino } from 'pino';
import { createReplays } from '../../src/rescore/create-replays.ts';
import type { ReplayRequest } from '../../src/rescore/replay-request.ts';
import { openBenchApp } from './bench-app.ts';
import { replayAlone } from './replay-alone.ts';
import { replayWithTokens } from './replay-with-tokens.ts';
import { spentOn } from './rounds.ts';

const POLL_MS = 20;
/** Replays what a data folder holds, dry, and prints what that took. In a process of its own, so that its memory is its own. */
const [, , data = '', mode = 'store', policy = 'dapo'] = process.argv;
const app = await openBenchApp(data, false);
const before = process.memoryUsage.rss();
const request = await replayAlone(policy, mode === 'log' ? 'log' : 'store');
let residentAtHalf = 0;
let counted = { attempts: 0, changed: 0 };
const spent = await spentOn(async () => {
  counted = mode === 'tokens' ? await replayWithTokens(app, request) : await byJob(request);
});
process.stdout.write(
  JSON.stringify({
    ...{ ...counted, ...spent },
    residentBefore: before,
    residentAtHalf,
    // Linux counts in KB.
    residentMost: process.resourceUsage().maxRSS * 1024,
  }),
);
await app.close();

async function byJob(asked: ReplayRequest): Promise<{ attempts: number; changed: number }> {
  const replays = createReplays(app, { log: pino({ level: 'silent' }), isAlone: true });
  await replays.start(asked);
  for (;;) {
    const status = await replays.status(asked.replayId);
    if (residentAtHalf === 0 && 2 * status.units_done >= status.units) residentAtHalf = process.memoryUsage.rss();
    if (status.state === 'failed' || status.state === 'cancelled') throw new Error(status.error?.message);
    if (status.state === 'done') {
      const { diff, refused } = await replays.report(asked.replayId);
      if (refused.length > 0) throw new Error(`refused: ${refused.map(({ detail }) => detail).join(', ')}`);
      await replays.close();
      return { attempts: diff.attempts, changed: diff.changed };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
