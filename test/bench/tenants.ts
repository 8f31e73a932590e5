import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTypescript } from '../start-typescript.ts';
import type { Bench, Figure, Size } from './bench.ts';
import { type Spread, spreadOf } from './spread.ts';
import { startedServer } from './started-server.ts';
import { inTemporaryFolder } from './temporary-folder.ts';
import { EVENTS, rolloutLines } from './tenant-rollouts.ts';

const PER_SECOND = 10;
/** Of the noisy run, in events a second: what a server can take beside it depends on the machine. */
const QUOTA = 200;
const SIZES = { full: { rounds: 3, seconds: 10 }, smoke: { rounds: 1, seconds: 1 } } as const;

type Beside = 'nobody' | 'noise' | 'noise with a quota';

/** Of 30 s each: by then whatever is behind was read. */
const MOST_EMPTY_PAGES = 4;

interface Noise {
  readonly seconds: number;
  readonly accepted: number;
  readonly limited: number;
  readonly others: number;
}

interface Seen {
  readonly p99Ms: number;
  readonly medianMs: number;
  /** Of the noisy run; null: there was none. */
  readonly noise: Noise | null;
}

/** Two runs of one embedded server over HTTP: how long the quiet one waits from the end of a rollout until it is ready. */
export const tenants: Bench = {
  name: 'tenants',
  async run(size) {
    const seen = new Map<Beside, Seen[]>([
      ['nobody', []],
      ['noise', []],
      ['noise with a quota', []],
    ]);
    for (let round = 0; round < SIZES[size].rounds; round++)
      for (const [beside, all] of seen)
        if (size === 'full' || beside !== 'noise')
          all.push(await inTemporaryFolder((folder) => oneRound(folder, beside, size)));
    const alone = seen.get('nobody') ?? [];
    const measured = [...seen].filter(([, all]) => all.length > 0);
    return measured.map(([beside, all]) => figureOf(beside, all, alone));
  },
};

function figureOf(beside: Beside, all: readonly Seen[], alone: readonly Seen[]): Figure {
  const p99 = (seen: readonly Seen[]): Spread => spreadOf(seen.map(({ p99Ms }) => p99Ms));
  const ratio = spreadOf(all.map(({ p99Ms }, n) => p99Ms / (alone[n]?.p99Ms ?? Number.NaN))).median;
  const noise = all.flatMap((one) => one.noise ?? []);
  const rates = spreadOf(noise.map(({ accepted, seconds }) => accepted / seconds));
  const sum = (of: (one: Noise) => number): number => noise.reduce((n, one) => n + of(one), 0);
  return {
    name: `quiet run, end → ready, p99, beside ${beside}`,
    ...{ value: p99(all), unit: 'ms' },
    ...(beside === 'nobody' ? {} : { yardstick: { name: 'alone', value: p99(alone) }, ratio }),
    ...(beside === 'noise with a quota' ? { target: { text: '≤ 2 × alone', met: ratio <= 2 } } : {}),
    notes: [
      `median ${spreadOf(all.map(({ medianMs }) => medianMs)).median.toFixed(0)} ms, ${PER_SECOND} rollouts a second`,
      ...(noise.length === 0
        ? []
        : [
            `the noisy run: ${rates.median.toFixed(0)} events/s taken; ${sum((one) => one.limited)} bodies answered 429, ${sum((one) => one.others)} otherwise refused`,
          ]),
    ],
  };
}

async function oneRound(folder: string, beside: Beside, size: Size): Promise<Seen> {
  const config = join(folder, 'rollstream.yaml');
  const quota =
    beside === 'noise with a quota' ? `limits:\n  run_events_per_second: ${QUOTA}\n  run_in_flight: 16MB\n` : '';
  await writeFile(config, `log_level: error\nclickhouse_http:\n  enabled: false\n${quota}`);
  const flags = ['up', '--config', config, '--data', join(folder, 'data'), '--port', '0'];
  const server = await startedServer(startTypescript('../../src/cli/main.ts', import.meta.url, flags));
  try {
    while (!(await fetch(`${server.url}/readyz`)).ok) await sleep(50);
    const noise = beside === 'nobody' ? null : await startNoise(server.url);
    let made: Noise | null = null;
    const tookMs = await quietRun(server.url, SIZES[size].seconds, async () => {
      made = (await noise?.()) ?? null;
    });
    const sorted = tookMs.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    return { p99Ms: at(0.99), medianMs: at(0.5), noise: made };
  } finally {
    await server.stop();
  }
}

/** Resolves when it sends; call it to end it. */
async function startNoise(url: string): Promise<() => Promise<Noise>> {
  const child = startTypescript('./tenants-noise.child.ts', import.meta.url, [url]);
  await once(child.stderr, 'data');
  const said = text(child.stdout);
  return async () => {
    child.kill('SIGTERM');
    return JSON.parse(await said);
  };
}

/** From sending the events of each rollout until it is read from the ready topic. */
async function quietRun(url: string, seconds: number, sent: () => Promise<void>): Promise<number[]> {
  const count = PER_SECOND * seconds;
  const sentAt = new Map<string, number>();
  const reading = readyOf(url, count, sentAt);
  reading.catch(() => undefined);
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    const wait = began + (1_000 * n) / PER_SECOND - performance.now();
    if (wait > 0) await sleep(wait);
    sentAt.set(`q${n}-0`, performance.now());
    await send(url, rolloutLines('quiet', `q${n}`, 1));
  }
  await sent();
  return reading;
}

async function send(url: string, body: string): Promise<void> {
  const init = { method: 'POST', body, headers: { 'content-type': 'application/x-ndjson' } };
  const response = await fetch(`${url}/v1/steps`, init);
  const answer = await response.text();
  if (!response.ok) throw new Error(`the quiet run was answered ${response.status}: ${answer}`);
  if (JSON.parse(answer).accepted !== EVENTS) throw new Error(answer);
}

async function readyOf(url: string, count: number, sentAt: ReadonlyMap<string, number>): Promise<number[]> {
  const tookMs: number[] = [];
  let emptyPages = 0;
  for (let from = '0'; tookMs.length < count; ) {
    const page = await fetch(`${url}/v1/ready?run=quiet&from=${from}&limit=1000&wait_ms=30000`);
    const lines = (await page.text()).split('\n').filter(Boolean);
    const now = performance.now();
    emptyPages = lines.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > MOST_EMPTY_PAGES) throw new Error(`${tookMs.length} of ${count} rollouts became ready`);
    from = page.headers.get('rollstream-next') ?? from;
    for (const line of lines) {
      const { rollout_id }: { rollout_id: string } = JSON.parse(line);
      tookMs.push(now - (sentAt.get(rollout_id) ?? Number.NaN));
    }
  }
  return tookMs;
}
