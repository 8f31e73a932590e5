import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Figure, Size } from './bench.ts';
import { callsTook, chunksTook } from './proxy-client.ts';
import { type Spread, spreadOf } from './spread.ts';
import { type StartedServer, startedServer } from './started-server.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const ROUNDS = { full: 5, smoke: 1 } as const;
const CALLS = { full: 300, smoke: 20 } as const;
const CHUNKS = { full: 60, smoke: 5 } as const;
const TOKENS = 256;
const STREAMS = { full: 256, smoke: 16 } as const;
const MOST_ADDED_US = { call: 2_000, chunk: 200 } as const;

/** What a recording proxy adds to a call: each round with it and without it, in turn. */
export const proxy: Bench = {
  name: 'proxy',
  run: (size) =>
    inTemporaryFolder(async (folder) => {
      const upstream = await startedServer(child('proxy-upstream.child.ts'));
      const server = await startedServer(child('proxy-server.child.ts', upstream.url, join(folder, 'state')));
      try {
        const one = await callsFigure(upstream, server, size);
        const alone = await chunksFigure(upstream, server, { size, streams: 1, gapMs: 10 });
        return [one, alone, await chunksFigure(upstream, server, { size, streams: STREAMS[size], gapMs: 100 })];
      } finally {
        await server.stop();
        await upstream.stop();
      }
    }),
};

async function callsFigure(upstream: StartedServer, server: StartedServer, size: Size): Promise<Figure> {
  const cpuUs: number[] = [];
  const rounds = await paired(size, upstream, server, async (of) => {
    const cpu = await server.cpuSeconds();
    const took = await callsTook(of.url, CALLS[size], 1, TOKENS);
    if (of === server) cpuUs.push((1e6 * ((await server.cpuSeconds()) - cpu)) / CALLS[size]);
    return took;
  });
  const added = spreadOf(rounds.map(({ own, through }) => atShare(through, 0.99) - atShare(own, 0.99)));
  return {
    ...{ name: `proxy: p99 of a call of ${TOKENS} tokens`, ...p99Of(rounds), unit: 'µs' },
    target: { text: `≤ ${MOST_ADDED_US.call} µs more`, met: added.median <= MOST_ADDED_US.call },
    notes: [
      addedNote('p99', added),
      addedNote('median', spreadOf(rounds.map(medianAdded))),
      `${Math.round(spreadOf(cpuUs).median)} µs of CPU a call, the recorder's thread included`,
    ],
  };
}

interface Streaming {
  readonly size: Size;
  readonly streams: number;
  readonly gapMs: number;
}

async function chunksFigure(
  upstream: StartedServer,
  server: StartedServer,
  { size, streams, gapMs }: Streaming,
): Promise<Figure> {
  const tokens = CHUNKS[size];
  const cores: number[] = [];
  const rounds = await paired(size, upstream, server, async (of) => {
    const [cpu, began] = [await server.cpuSeconds(), performance.now()];
    const took = await chunksTook(of.url, streams, { tokens, gapMs });
    if (of === server) cores.push(((await server.cpuSeconds()) - cpu) / ((performance.now() - began) / 1000));
    return took;
  });
  const added = spreadOf(rounds.map(medianAdded));
  const perSecond = Math.round((streams * 1000) / gapMs);
  return {
    ...{
      name: `proxy: p99 of a chunk, ${streams === 1 ? 'one stream' : `${streams} streams`}`,
      ...p99Of(rounds),
      unit: 'µs',
    },
    target: { text: `median ≤ ${MOST_ADDED_US.chunk} µs more`, met: added.median <= MOST_ADDED_US.chunk },
    notes: [
      addedNote('median', added),
      addedNote('p99', spreadOf(rounds.map(({ own, through }) => atShare(through, 0.99) - atShare(own, 0.99)))),
      `${perSecond} chunks/s take ${(100 * spreadOf(cores).median).toFixed(0)} % of a core, the recorder's thread included`,
    ],
  };
}

interface Round {
  readonly own: readonly number[];
  readonly through: readonly number[];
}

/** After one round of each that is not counted. */
async function paired(
  size: Size,
  upstream: StartedServer,
  server: StartedServer,
  measure: (of: StartedServer) => Promise<number[]>,
): Promise<Round[]> {
  if (size === 'full') for (const of of [upstream, server]) await measure(of);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS[size]; round++) {
    const own = await measure(upstream);
    rounds.push({ own, through: await measure(server) });
  }
  return rounds;
}

function p99Of(rounds: readonly Round[]): { value: Spread; yardstick: { name: string; value: Spread } } {
  const of = (side: keyof Round) => spreadOf(rounds.map((round) => atShare(round[side], 0.99)));
  return { value: of('through'), yardstick: { name: 'without it', value: of('own') } };
}

function medianAdded({ own, through }: Round): number {
  return atShare(through, 0.5) - atShare(own, 0.5);
}

function atShare(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function addedNote(name: string, { median, min, max }: Spread): string {
  return `${name}: ${Math.round(median)} µs more (${Math.round(min)}–${Math.round(max)})`;
}

function child(name: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  const isCompiled = import.meta.url.endsWith('.js');
  const path = fileURLToPath(new URL(isCompiled ? name.replace(/[.]ts$/, '.js') : name, import.meta.url));
  const loader = isCompiled ? [] : ['--import', new URL('../run-typescript.mjs', import.meta.url).href];
  return spawn(process.execPath, [...loader, path, ...args]);
}
