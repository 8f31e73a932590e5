import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Accounting } from '../../src/clickhouse/accounting.ts';
import type { Batch } from '../chaos/delivery/batch.ts';
import { startTypescript } from '../start-typescript.ts';
import { writeImportData } from './import-data.ts';
import { endPrograms, type Started, startProgram } from './program.ts';
import type { Order, Reported } from './step-rank.ts';
import { told } from './told.ts';

/** Two ranks as processes; this test is what joins them: the collective of each step, and the weights. */
const RUN = 'grouped';
const STEPS = 100;
const SAVED_EVERY = 10;

interface Rank {
  readonly follow: (order: Order) => Promise<Reported>;
  readonly kill: () => Promise<void>;
}

let folder = '';
let url = '';
let server: Started;
let imported: Promise<string>;
let ranks: Rank[] = [];
/** What must become of each rollout, by what the producer wrote. */
let sent = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-step-ranks-'));
  // Two groups a step.
  const { folders, expected } = await writeImportData(folder, String(Date.now()), { rollouts: 0, groups: 2 * STEPS });
  sent = new Map([...expected.ready].map(([name, digest]) => [`${name} 0`, digest]));
  server = startProgram(['up', '--port', '0', '--data', join(folder, 'data')]);
  [, url = ''] = await server.saying(/serving at (\S+)/);
  imported = told(['import', folders[1] ?? '', '--data', join(folder, 'data'), '--quiet']);
  // Awaited at the end.
  imported.catch(() => undefined);
  await heardOf(RUN);
});
afterAll(async () => {
  await Promise.all(ranks.map(({ kill }) => kill()));
  await endPrograms();
  await rm(folder, { recursive: true, force: true });
});

/** A run that nobody has heard of is refused: the trainer announces its first weights. */
async function heardOf(run: string): Promise<void> {
  const body = JSON.stringify({ run, step: 0, version: 'step-1' });
  expect((await fetch(`${url}/v1/versions`, { method: 'POST', body })).status).toBe(200);
}

function startRank(rank: number, lineage: number): Rank {
  const facts = { url, run: RUN, rank, dp: 2, lineage };
  const args = Object.entries(facts).flatMap(([key, value]) => [`--${key}`, `${value}`]);
  const child = startTypescript('./step-rank.ts', import.meta.url, args);
  child.stderr.pipe(process.stderr);
  // An order to a rank that was killed.
  child.stdin.on('error', () => undefined);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  return {
    async follow(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error('the rank has ended');
      return JSON.parse(line.value);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function rankAt(index: number): Rank {
  const rank = ranks[index];
  if (rank === undefined) throw new Error(`no rank ${index}`);
  return rank;
}

async function shard(index: number, step: number): Promise<Batch> {
  const reported = await rankAt(index).follow({ step });
  if ('received' in reported) return reported;
  throw new Error('an answer, but no shard');
}

it('over 100 steps each rank has as many micro-batches as the other, other data, and all is trained once, whoever dies', async () => {
  ranks = [startRank(0, 0), startRank(1, 0)];
  /** What the weights hold, by step. */
  let weights: string[][] = [];
  let lineage = 0;
  let mostMicroBatches = 0;

  async function trained(step: number): Promise<void> {
    const [one, other] = await Promise.all([shard(0, step), shard(1, step)]);
    mostMicroBatches = Math.max(mostMicroBatches, one.microBatches);
    expect([other.lease, other.microBatches]).toEqual([one.lease, one.microBatches]);
    const both = [...one.received, ...other.received];
    expect(both.map(({ offset }) => offset).sort(ascending)).toEqual([...one.offsets].sort(ascending));
    expect(both.map(({ digest }) => digest)).toEqual(both.map(({ name }) => sent.get(name)));
    expect(new Set(both.map(({ unit }) => unit)).size).toBe(2);
    await rankAt(0).follow({ ack: one.lease, at: step });
    weights.push(both.map(({ name }) => name));
    if (step % SAVED_EVERY === 0) await rankAt(0).follow({ seal: step });
  }

  for (let step = 1; step <= 32; step += 1) await trained(step);

  // A rank dies with its shard, and another before its shard came: it asks for the same step, and it is the same shard.
  const lost = await shard(1, 33);
  await rankAt(1).kill();
  ranks = [rankAt(0), startRank(1, lineage)];
  expect(await shard(1, 33)).toEqual(lost);
  const unheard = rankAt(1).follow({ step: 34 });
  unheard.catch(() => undefined);
  await rankAt(1).kill();
  ranks = [rankAt(0), startRank(1, lineage)];
  for (let step = 33; step <= 66; step += 1) await trained(step);

  // A rank dies, and with it the job: both restore step 60, and name one request.
  const gone = await shard(1, 67);
  await Promise.all(ranks.map(({ kill }) => kill()));
  ranks = [startRank(0, lineage), startRank(1, lineage)];
  const again: Order = { rewind: 60, of: lineage, request: 'restart' };
  const opened = await Promise.all(ranks.map(({ follow }) => follow(again)));
  expect(opened).toEqual([{ lineage: 1 }, { lineage: 1 }]);
  lineage = 1;
  const discarded = weights.slice(60).flat();
  weights = weights.slice(0, 60);
  for (let step = 61; step <= STEPS; step += 1) await trained(step);

  expect(mostMicroBatches).toBeGreaterThan(1);
  await imported;
  const names = weights.flat();
  expect([...names].sort()).toEqual([...sent.keys()].sort());
  // In ready order, so that what was lost came again first.
  const cameAgain = weights.slice(60, 67).flat();
  expect([...cameAgain].sort()).toEqual(expect.arrayContaining(discarded));
  expect(cameAgain).toEqual(expect.arrayContaining(gone.received.map(({ name }) => name)));
  // Rows of deliveries follow the log.
  await vi.waitFor(async () => {
    const { runs }: Accounting = JSON.parse(await told(['accounting', '--json', '--data', join(folder, 'data')]));
    expect(runs.find(({ run_id: id }) => id === RUN)).toMatchObject({
      balanced: true,
      ready: sent.size,
      ready_states: { trained: sent.size },
    });
  }, 30_000);
});

function ascending(a: number, b: number): number {
  return a - b;
}
