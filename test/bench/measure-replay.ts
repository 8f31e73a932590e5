import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { App } from '../../src/app.ts';
import { createReplays } from '../../src/rescore/create-replays.ts';
import type { ReplayRequest } from '../../src/rescore/replay-request.ts';
import { openBenchApp } from './bench-app.ts';
import { replayAlone } from './replay-alone.ts';
import { replayWithTokens } from './replay-with-tokens.ts';
import { type Spent, spentOn } from './rounds.ts';

/** What one replay took. Memory is the process's, in bytes. */
export interface Replayed extends Spent {
  readonly attempts: number;
  readonly changed: number;
  readonly residentBefore: number;
  /** 0: not looked at. */
  readonly residentAtHalf: number;
  readonly residentMost: number;
}

/** From the store by a job, by its parts with tokens read, or from the log by a job. */
export type ReplayMode = 'store' | 'tokens' | 'log';

/** Replays all that a data folder holds, dry, under a shipped policy; `same`: under what decided it. */
export async function measureReplay(data: string, mode: ReplayMode, policy: string): Promise<Replayed> {
  const app = await openBenchApp(data, false);
  try {
    const residentBefore = process.memoryUsage.rss();
    const request = await replayAlone(policy, mode === 'log' ? 'log' : 'store');
    let counted = { attempts: 0, changed: 0, residentAtHalf: 0 };
    const spent = await spentOn(async () => {
      counted =
        mode === 'tokens'
          ? { ...(await replayWithTokens(app, request)), residentAtHalf: 0 }
          : await byJob(app, request);
    });
    // Linux counts in KB.
    return { ...counted, ...spent, residentBefore, residentMost: process.resourceUsage().maxRSS * 1024 };
  } finally {
    await app.close();
  }
}

async function byJob(app: App, request: ReplayRequest) {
  const replays = createReplays(app, { log: pino({ level: 'silent' }), isAlone: true });
  let residentAtHalf = 0;
  await replays.start(request);
  for (;;) {
    const status = await replays.status(request.replayId);
    const isHalf = status.units > 0 && 2 * status.units_done >= status.units;
    if (residentAtHalf === 0 && isHalf) residentAtHalf = process.memoryUsage.rss();
    if (status.state === 'failed' || status.state === 'cancelled') throw new Error(status.error?.message);
    if (status.state === 'done') break;
    await sleep(POLL_MS);
  }
  const { diff, refused } = await replays.report(request.replayId);
  await replays.close();
  if (refused.length > 0) throw new Error(`refused: ${refused.map(({ detail }) => detail).join(', ')}`);
  return { attempts: diff.attempts, changed: diff.changed, residentAtHalf };
}

const POLL_MS = 20;
