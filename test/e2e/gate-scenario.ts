import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LogRecord } from '../../src/broker/port.ts';
import type { Accounting } from '../../src/clickhouse/accounting.ts';
import type { GateStatus } from '../../src/gate/gate-status.ts';
import { type GateRollouts, gateLines } from './gate-lines.ts';
import { type GateWorker, type GateWorld, metricOf, until } from './gate-world.ts';
import { told } from './told.ts';

/** One that was under way while the last trajectory was decided, the next one, and one that is under way while it is asked for. */
const LOOKS = 3;
/** Three batches of the forwarder: who is killed after the first has moved a part. */
const LONG = { count: 50, tokens: 40_000 };

/**
 * A run drifts and is held; the worker that evaluates and forwards is killed while it is held, and again while what it held is
 * moved; the run goes on. Then two runs under a preflight, a bad one and a good one.
 */
export async function gateScenario(world: GateWorld): Promise<void> {
  const { args, folder } = world;
  let files = 0;
  const send = async (rollouts: GateRollouts): Promise<void> => {
    const file = join(folder, `rollouts-${files++}.jsonl`);
    await writeFile(file, gateLines(rollouts));
    await told(['import', file, ...args, '--json', '--quiet']);
  };
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(new URL(path, world.workers()[0]?.url));
    expect(answer.status).toBe(200);
    const body: T = JSON.parse(await answer.text());
    return body;
  };
  const gateOf = async (run: string): Promise<GateStatus | undefined> =>
    (await ask<{ gates: GateStatus[] }>(`/v1/gates?run=${run}`)).gates[0];
  const booksOf = async (run: string) =>
    (await ask<Accounting>('/v1/accounting')).runs.find(({ run_id }) => run_id === run);
  /** Once so many of a run are decided: how many are ready, and how many held. */
  const decided = (run: string, count: number) =>
    until(`${count} of ${run}`, async () => {
      const books = await booksOf(run);
      return books !== undefined && books.ready + books.held === count ? books : null;
    });
  /** Who works on partition 0. */
  const owner = (): Promise<GateWorker> =>
    until('an owner of partition 0', async () => {
      for (const worker of world.workers())
        if ((await metricOf(worker, 'rollstream_lane_restored{partition="0"}')) === 1) return worker;
      return null;
    });
  const looks = async () => (await metricOf(await owner(), 'rollstream_gate_looks_total')) ?? 0;
  /** Looks after which a run is in that state, counted from now. */
  const looksUntil = async (run: string, state: GateStatus['state']): Promise<number> => {
    const before = await looks();
    return until(`${run}: ${state}`, async () => {
      const now = await looks();
      return (await gateOf(run))?.state === state ? now - before : null;
    });
  };

  await send({ run: 'drifting', names: names('clean', 20) });
  await send({ run: 'steady', names: names('before', 10) });
  expect(await decided('drifting', 20)).toMatchObject({ ready: 20 });
  expect(await gateOf('drifting')).toMatchObject({ state: 'open', by: 'policy' });

  await send({ run: 'drifting', names: names('drift', 10), drifts: true });
  await decided('drifting', 30);
  expect(await looksUntil('drifting', 'hold')).toBeLessThanOrEqual(LOOKS);
  const hold = await gateOf('drifting');
  expect(hold).toMatchObject({ by: 'evaluator', why: { tripped: [{ limit: 'pipeline_drift' }] } });

  await send({ run: 'drifting', names: names('long', LONG.count), filler: LONG.tokens });
  await send({ run: 'steady', names: names('meanwhile', 10) });
  const { ready } = await decided('drifting', 30 + LONG.count);
  expect(ready).toBeLessThanOrEqual(30);
  expect(await decided('steady', 20)).toMatchObject({ ready: 20 });

  await world.kill(await owner());
  await owner();
  await send({ run: 'drifting', names: names('later', 5) });
  expect(await decided('drifting', 35 + LONG.count)).toMatchObject({ ready, balanced: true });
  expect(await gateOf('drifting')).toMatchObject({ state: 'hold', by: 'evaluator', since: hold?.since });

  const forwarder = await owner();
  await told(['gate', 'release', 'drifting', '--reason', 'template was fixed', ...args]);
  await forwarder.saying(/held trajectories are ready/);
  await world.kill(forwarder);
  await owner();
  await until('what was held', async () => ((await booksOf('drifting'))?.held === 0 ? true : null));
  await send({ run: 'drifting', names: names('after', 5) });
  expect(await decided('drifting', 40 + LONG.count)).toMatchObject({ ready: 40 + LONG.count, held: 0, balanced: true });

  await send({ run: 'bad', names: names('drift', 12), drifts: true });
  await send({ run: 'good', names: names('first', 40) });
  await decided('bad', 12);
  await decided('good', 40);
  expect(await looksUntil('bad', 'hold')).toBeLessThanOrEqual(LOOKS);
  await until('good: open', async () => ((await gateOf('good'))?.state === 'open' ? true : null));
  await until('good: none held', async () => ((await booksOf('good'))?.held === 0 ? true : null));
  await send({ run: 'good', names: names('then', 5) });
  expect(await decided('good', 45)).toMatchObject({ ready: 45, balanced: true });
  expect(await booksOf('bad')).toMatchObject({ ready: 0, held: 12, balanced: true });
  expect(await gateOf('drifting')).toMatchObject({ state: 'open', by: 'release', held: 0 });

  const { held, ready: out } = await world.topics();
  const drifting = [
    ...[...names('clean', 20), ...names('drift', 10), ...names('long', LONG.count)],
    ...[...names('later', 5), ...names('after', 5)],
  ];
  expect(rolloutsOf(out, 'drifting').toSorted()).toEqual(drifting.toSorted());
  expect(rolloutsOf(out, 'steady').toSorted()).toEqual([...names('before', 10), ...names('meanwhile', 10)].toSorted());
  expect(rolloutsOf(out, 'good').toSorted()).toEqual([...names('first', 40), ...names('then', 5)].toSorted());
  expect(rolloutsOf(out, 'bad')).toEqual([]);
  expect(rolloutsOf(held, 'steady')).toEqual([]);
  for (const run of ['drifting', 'good']) {
    const before = new Set(rolloutsOf(held, run));
    const moved = out.filter(({ key }) => isOf(run, key) && before.has(rolloutOf(key)));
    // Unchanged, and in the order in which they were held.
    expect(moved.map(contentOf)).toEqual(held.filter(({ key }) => isOf(run, key)).map(contentOf));
  }
}

function names(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${kind}-${i}`);
}

function isOf(run: string, key: Buffer | null): boolean {
  return key?.toString().startsWith(`${run}/`) === true;
}

/** Of the key run/epoch/r/rollout. */
function rolloutOf(key: Buffer | null): string {
  return key?.toString().split('/')[3] ?? '';
}

function rolloutsOf(records: readonly LogRecord[], run: string): string[] {
  return records.flatMap(({ key }) => (isOf(run, key) ? [rolloutOf(key)] : []));
}

function contentOf({ key, value, headers }: LogRecord): readonly [string, string, object] {
  return [rolloutOf(key), value?.toString('base64') ?? '', headers];
}
