import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure, Size } from './bench.ts';
import { spreadOf } from './spread.ts';
import { askServer, type StartedServer } from './started-server.ts';

const CLIENTS = 64;
const SECONDS = { full: 10, smoke: 1 } as const;
/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;
/** Of a core, what they may add. */
const MOST_SHARE = 0.01;

/** What the server takes while clients wait for a run of which nothing comes, and what it takes without them. */
export async function idleFigure(server: StartedServer, size: Size): Promise<Figure> {
  const { url } = server;
  const ms = 1000 * SECONDS[size];
  const rest = async (): Promise<number> => {
    const before = await server.cpuSeconds();
    await sleep(ms);
    return Math.max(TICK_MS, 1000 * ((await server.cpuSeconds()) - before));
  };
  await askServer(url, '/v1/versions', { run: 'idle', version: 'w0', step: 0 });
  const without = await rest();
  const over = new AbortController();
  const waits = Array.from({ length: CLIENTS }, (_, n) => {
    const body = JSON.stringify({ run: 'idle', consumer: `idle-${n}`, count: 8, wait_ms: 60_000 });
    return fetch(`${url}/v1/leases`, { method: 'POST', body, signal: over.signal }).catch(() => null);
  });
  for (;;) {
    const { waiting } = await askServer<{ waiting: number }>(url, '/v1/runs/idle/delivery');
    if (waiting === CLIENTS) break;
    await sleep(20);
  }
  const waited = await rest();
  over.abort();
  await Promise.all(waits);
  const share = (waited - without) / ms;
  return {
    ...{ name: `delivery: ${CLIENTS} waiting clients`, value: spreadOf([waited]), unit: `ms of CPU in ${ms / 1000} s` },
    yardstick: { name: 'without clients', value: spreadOf([without]) },
    target: { text: `≤ ${100 * MOST_SHARE} % of a core more`, met: share <= MOST_SHARE },
    notes: [`${(100 * share).toFixed(2)} % of a core more`],
  };
}
