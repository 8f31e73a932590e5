import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbeddedBroker } from '../../src/broker/embedded/open-embedded-broker.ts';
import { LOG_FOLDER, REGISTRY_FOLDER } from '../../src/config/data-folders.ts';
import { topicNames, topicSpecs } from '../../src/config/topics.ts';
import { openLocalRegistry } from '../../src/registry/local/open-local-registry.ts';
import { startRollstream } from '../e2e/rollstream.ts';
import type { Figure, Size } from './bench.ts';
import { idleFigure } from './delivery-idle.ts';
import type { PythonClient } from './python-client.ts';
import { createReadyGroups, fillReady, MEMBERS, SAMPLED } from './ready-trajectories.ts';
import { type Spent, spentOn } from './rounds.ts';
import { spreadOf } from './spread.ts';
import { askServer, type StartedServer, startedServer } from './started-server.ts';

/** Groups of a batch. */
const GROUPS = 8;
const BATCH = GROUPS * MEMBERS;
const READ_BYTES = 4 * 2 ** 20;
const TARGET = 2_000;
const SIZES = { full: { batches: 24, rounds: 3 }, smoke: { batches: 2, rounds: 1 } } as const;

/** What one round took, seconds; of CPU by who took it. */
interface Drained {
  readonly wallS: number;
  readonly client: number;
  readonly server: number;
}

/**
 * A Python client empties a queue that the server's process has, batch by batch, each acked; with a batch asked for ahead, as
 * trainers do. The bytes of the batches over bare HTTP, and the same records read from the log alone, take turns with it.
 */
export async function drainFigures(folder: string, size: Size, python: PythonClient): Promise<Figure[]> {
  const { batches, rounds } = SIZES[size];
  const data = join(folder, 'drain');
  // A round has a run of its own, twice: with a batch ahead, and without.
  const runs = Array.from({ length: 2 * (rounds + 1) }, (_, n) => `drain-${n}`);
  const recordBytes = await fill(data, runs, batches * GROUPS);
  const count = batches * BATCH;
  const ahead: Drained[] = [];
  const alone: Drained[] = [];
  const bare: Drained[] = [];
  let idle: Figure;
  const server = await startedServer(startRollstream('up', '--port', '0', '--data', data));
  try {
    for (const [n, run] of runs.entries()) {
      const isAhead = n % 2 === 0;
      await untilQueued(server, run, count);
      const drained = await drain(server, python, run, batches, isAhead ? 1 : 0);
      // The first of each warms both processes up.
      if (n >= 2) (isAhead ? ahead : alone).push(drained);
      if (n >= 2 && isAhead) bare.push(await bareTransfer(python, batches, recordBytes * BATCH));
    }
    idle = await idleFigure(server, size);
  } finally {
    await server.stop();
  }
  const reads = await logReads(data, rounds, count);
  return [...figuresOf({ ahead, alone, bare, reads, count, recordBytes }), idle];
}

/** Mean bytes of a record. */
async function fill(data: string, runs: readonly string[], groups: number): Promise<number> {
  const broker = await openEmbeddedBroker({ folder: join(data, LOG_FOLDER) });
  await broker.ensureTopics(topicSpecs('', 1));
  const next = await createReadyGroups(await openLocalRegistry({ folder: join(data, REGISTRY_FOLDER) }), 'drain');
  for (const run of runs) await fillReady(broker, next, run, groups);
  const records = await broker.read(topicNames('').ready, 0, 0, { maxBytes: READ_BYTES, maxWaitMs: 0 });
  await broker.close();
  return Math.round(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0) / records.length);
}

/** The index is built while it serves: not what is measured here. */
async function untilQueued({ url }: StartedServer, run: string, count: number): Promise<void> {
  for (;;) {
    const status = await askServer<{ ready_states: { queued: number } }>(url, `/v1/runs/${run}/delivery`);
    if (status.ready_states.queued === count) return;
    await sleep(50);
  }
}

async function drain(server: StartedServer, python: PythonClient, run: string, batches: number, prefetch: number) {
  const before = await server.cpuSeconds();
  const took = await python.run<Spent & { trajectories: number; tokens: number }>(
    ...['drain', server.url, run, GROUPS, batches, prefetch],
  );
  if (took.trajectories !== batches * BATCH) throw new Error(`${took.trajectories} trajectories`);
  return { wallS: took.wallS, client: took.cpuS, server: (await server.cpuSeconds()) - before };
}

/** As many bodies of as many bytes, from a plain server of this process. */
async function bareTransfer(python: PythonClient, bodies: number, bytes: number): Promise<Drained> {
  const body = Buffer.alloc(bytes, 7);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening, but not on a port');
  const url = `http://127.0.0.1:${address.port}`;
  let client: (Spent & { bytes: number }) | null = null;
  const own = await spentOn(async () => {
    client = await python.run<Spent & { bytes: number }>('bare', url, bodies);
  });
  server.closeAllConnections();
  server.close();
  if (client === null) throw new Error('there is no answer');
  const { wallS, cpuS }: Spent = client;
  return { wallS, client: cpuS, server: own.cpuS };
}

/** By broker.read alone. */
async function logReads(data: string, rounds: number, count: number): Promise<Spent[]> {
  const broker = await openEmbeddedBroker({ folder: join(data, LOG_FOLDER) });
  const spent: Spent[] = [];
  for (let round = 0; round < rounds; round++)
    spent.push(
      await spentOn(async () => {
        for (let offset = round * count; offset < (round + 1) * count; ) {
          const limits = { maxBytes: READ_BYTES, maxWaitMs: 0 };
          offset += (await broker.read(topicNames('').ready, 0, offset, limits)).length;
        }
      }),
    );
  await broker.close();
  return spent;
}

interface Rounds {
  readonly ahead: readonly Drained[];
  readonly alone: readonly Drained[];
  readonly bare: readonly Drained[];
  readonly reads: readonly Spent[];
  readonly count: number;
  readonly recordBytes: number;
}

function figuresOf({ ahead, alone, bare, reads, count, recordBytes }: Rounds): Figure[] {
  const rate = (rounds: ReadonlyArray<{ readonly wallS: number }>) =>
    spreadOf(rounds.map(({ wallS }) => count / wallS));
  const micros = (seconds: readonly number[]) => (1e6 * spreadOf(seconds).median) / count;
  const cpu = (rounds: readonly Drained[]) => {
    const [server, client] = [micros(rounds.map((one) => one.server)), micros(rounds.map((one) => one.client))];
    return `server ${server.toFixed(0)}, client ${client.toFixed(0)}`;
  };
  const values = [rate(ahead), rate(alone)] as const;
  const bareRate = rate(bare);
  const million = (perSecond: number) => ((perSecond * SAMPLED) / 1e6).toFixed(1);
  const slower = Math.max(micros(ahead.map((one) => one.server)), micros(ahead.map((one) => one.client)));
  return [
    {
      ...{ name: 'delivery: ready → numpy, a batch ahead', value: values[0], unit: 'trajectories/s' },
      yardstick: { name: 'bare HTTP, the same bytes', value: bareRate },
      ratio: spreadOf(ahead.map(({ wallS }, n) => (bare[n]?.wallS ?? Number.NaN) / wallS)).median,
      target: { text: `≥ ${TARGET.toLocaleString('en')}/s`, met: values[0].median >= TARGET },
      notes: [
        `${million(values[0].median)} M tokens/s; ${recordBytes.toLocaleString('en')} bytes a record, ${BATCH} a batch, each batch acked`,
        `CPU µs a trajectory: ${cpu(ahead)}; bare HTTP: ${cpu(bare)}`,
        `with a core each that is nobody else's: at most ${(1e6 / slower).toFixed(0)}/s`,
      ],
    },
    {
      ...{ name: 'delivery: ready → numpy, none ahead', value: values[1], unit: 'trajectories/s' },
      yardstick: { name: 'read from the log alone', value: rate(reads) },
      ratio: spreadOf(alone.map(({ wallS }, n) => (reads[n]?.wallS ?? Number.NaN) / wallS)).median,
      notes: [`CPU µs a trajectory: ${cpu(alone)}; the log alone ${micros(reads.map((one) => one.cpuS)).toFixed(0)}`],
    },
  ];
}
