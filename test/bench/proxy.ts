import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Figure, Size } from './bench.ts';
import { callsTook, chunksTook } from './proxy-client.ts';
import { type Spread, spreadOf } from './spread.ts';
import { type StartedServer, startedServer } from './started-server.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const ROUNDS = { full: 5, smoke: 1 } as const;
const CALLS = { full: 200, smoke: 20 } as const;
const CHUNKS = { full: 60, smoke: 5 } as const;
const TOKENS = 256;
/** Engines are slower still; without it the calls of a client would compete with the recording of the one before. */
const HOLD_MS = 20;
const STREAMS = { full: 256, smoke: 16 } as const;
const MOST_ADDED_US = { call: 2_000, chunk: 200 } as const;

/** What a recording proxy adds to a call: each round without one, with one that only passes on, and with it, in turn. */
export const proxy: Bench = {
  name: 'proxy',
  run: (size) =>
    inTemporaryFolder(async (folder) => {
      const upstream = await startedServer(child('proxy-upstream.child.ts'));
      const bare = await startedServer(child('proxy-bare.child.ts', upstream.url));
      const server = await startedServer(child('proxy-server.child.ts', upstream.url, join(folder, 'state')));
      const servers = { upstream, bare, server };
      try {
        const one = await callsFigure(servers, size);
        const alone = await chunksFigure(servers, { size, streams: 1, gapMs: 10 });
        return [one, alone, await chunksFigure(servers, { size, streams: STREAMS[size], gapMs: 100 })];
      } finally {
        for (const { stop } of [server, bare, upstream]) await stop();
      }
    }),
};

interface Servers {
  readonly upstream: StartedServer;
  readonly bare: StartedServer;
  readonly server: StartedServer;
}

async function callsFigure(servers: Servers, size: Size): Promise<Figure> {
  const cpuUs: number[] = [];
  const rounds = await paired(size, servers, async (of) => {
    const cpu = await of.cpuSeconds();
    const took = await callsTook(of.url, CALLS[size], { tokens: TOKENS, holdMs: HOLD_MS });
    if (of === servers.server) cpuUs.push((1e6 * ((await of.cpuSeconds()) - cpu)) / CALLS[size]);
    return took;
  });
  const added = addedAt(rounds, 'through', 0.99);
  return {
    ...{ name: `proxy: p99 of a call of ${TOKENS} tokens`, ...p99Of(rounds), unit: 'µs' },
    target: { text: `≤ ${MOST_ADDED_US.call} µs more`, met: added.median <= MOST_ADDED_US.call },
    notes: [
      addedNote(rounds, 'p99', 0.99),
      addedNote(rounds, 'median', 0.5),
      `${Math.round(spreadOf(cpuUs).median)} µs of CPU a call, the recorder's thread included`,
    ],
  };
}

interface Streaming {
  readonly size: Size;
  readonly streams: number;
  readonly gapMs: number;
}

async function chunksFigure(servers: Servers, { size, streams, gapMs }: Streaming): Promise<Figure> {
  const tokens = CHUNKS[size];
  const [cores, bareCores]: [number[], number[]] = [[], []];
  const rounds = await paired(size, servers, async (of) => {
    const [cpu, began] = [await of.cpuSeconds(), performance.now()];
    const took = await chunksTook(of.url, streams, { tokens, gapMs });
    const seconds = (performance.now() - began) / 1000;
    if (of !== servers.upstream)
      (of === servers.server ? cores : bareCores).push(((await of.cpuSeconds()) - cpu) / seconds);
    return took;
  });
  const added = addedAt(rounds, 'through', 0.5);
  const perSecond = Math.round((streams * 1000) / gapMs);
  return {
    ...{
      name: `proxy: p99 of a chunk, ${streams === 1 ? 'one stream' : `${streams} streams`}`,
      ...p99Of(rounds),
      unit: 'µs',
    },
    target: { text: `median ≤ ${MOST_ADDED_US.chunk} µs more`, met: added.median <= MOST_ADDED_US.chunk },
    notes: [
      addedNote(rounds, 'median', 0.5),
      addedNote(rounds, 'p99', 0.99),
      `${perSecond} chunks/s take ${percent(cores)} of a core, the recorder's thread included; of one that only passes on: ${percent(bareCores)}`,
    ],
  };
}

interface Round {
  readonly own: readonly number[];
  readonly bare: readonly number[];
  readonly through: readonly number[];
}

/** After one round of each that is not counted. */
async function paired(
  size: Size,
  { upstream, bare, server }: Servers,
  measure: (of: StartedServer) => Promise<number[]>,
): Promise<Round[]> {
  if (size === 'full') for (const of of [upstream, bare, server]) await measure(of);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS[size]; round++) {
    const own = await measure(upstream);
    rounds.push({ own, bare: await measure(bare), through: await measure(server) });
  }
  return rounds;
}

function p99Of(rounds: readonly Round[]): { value: Spread; yardstick: { name: string; value: Spread } } {
  const of = (side: keyof Round) => spreadOf(rounds.map((round) => atShare(round[side], 0.99)));
  return { value: of('through'), yardstick: { name: 'without it', value: of('own') } };
}

function addedAt(rounds: readonly Round[], side: 'bare' | 'through', share: number): Spread {
  return spreadOf(rounds.map((round) => atShare(round[side], share) - atShare(round.own, share)));
}

function atShare(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function addedNote(rounds: readonly Round[], name: string, share: number): string {
  const { median, min, max } = addedAt(rounds, 'through', share);
  const bare = Math.round(addedAt(rounds, 'bare', share).median);
  return `${name}: ${Math.round(median)} µs more (${Math.round(min)}–${Math.round(max)}); by one that only passes on: ${bare}`;
}

function percent(cores: readonly number[]): string {
  return `${(100 * spreadOf(cores).median).toFixed(0)} %`;
}

function child(name: string, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  const isCompiled = import.meta.url.endsWith('.js');
  const path = fileURLToPath(new URL(isCompiled ? name.replace(/[.]ts$/, '.js') : name, import.meta.url));
  const loader = isCompiled ? [] : ['--import', new URL('../run-typescript.mjs', import.meta.url).href];
  return spawn(process.execPath, [...loader, path, ...args]);
}
