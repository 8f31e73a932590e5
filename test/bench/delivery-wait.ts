import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startTypescript } from '../start-typescript.ts';
import type { Figure, Size } from './bench.ts';
import { lastLine, type PythonClient } from './python-client.ts';
import { MEMBERS } from './ready-trajectories.ts';
import { spreadOf } from './spread.ts';
import { askServer, startedServer } from './started-server.ts';

const TARGET_MS = 20;
/** Until a client that hears nothing more ends. */
const IDLE_S = 3;
const SECONDS = { full: 10, smoke: 0.5 } as const;
/** Before, a few groups a second: what both processes load and compile meanwhile must not leave a backlog behind. */
const WARM_S = { full: 4, smoke: 0.5 } as const;
const WARM_GROUPS = 5;
/** Groups of a batch at most; it takes what there is. */
const GROUPS = 8;

/** From the append of a trajectory to when a client that waits has it as numpy, at half of the rate at which one drains a queue. */
export async function waitFigure(folder: string, size: Size, python: PythonClient, rate: number): Promise<Figure> {
  const data = join(folder, 'wait');
  await mkdir(data, { recursive: true });
  const server = await startedServer(startTypescript('./delivery-server.child.ts', import.meta.url, [data]));
  const perSecond = rate / 2;
  try {
    await askServer(server.url, '/v1/versions', { run: 'live', version: 'step-120', step: 0 });
    const client = python.start('wait', server.url, 'live', GROUPS, IDLE_S, WARM_S[size]);
    const ended = lastLine<{ tookMs: number[] }>(client);
    ended.catch(() => undefined);
    await Promise.race([once(client.stdout, 'data'), ended]);
    server.child.stdin.write(`live ${WARM_GROUPS} ${WARM_S[size]}\n`);
    await once(server.child.stdout, 'data');
    const before = await server.cpuSeconds();
    server.child.stdin.write(`live ${perSecond / MEMBERS} ${SECONDS[size]}\n`);
    await once(server.child.stdout, 'data');
    const cpuS = (await server.cpuSeconds()) - before;
    const tookMs = (await ended).tookMs.sort((a, b) => a - b);
    const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(share * tookMs.length))] ?? Number.NaN;
    return {
      ...{ name: 'delivery: ready → taken, half load, p99', value: spreadOf([at(0.99)]), unit: 'ms' },
      target: { text: `≤ ${TARGET_MS} ms`, met: at(0.99) <= TARGET_MS },
      notes: [
        `p50 ${at(0.5).toFixed(1)} ms, largest ${at(1).toFixed(0)} ms; ${tookMs.length} trajectories at ${perSecond.toFixed(0)}/s, server ${((100 * cpuS) / SECONDS[size]).toFixed(0)} % of a core`,
      ],
    };
  } finally {
    await server.stop();
  }
}
