import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRandom } from '../../examples/generate/random.ts';
import { packageFile } from '../../src/config/package-file.ts';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { accountingOf, checkImport } from './check-import.ts';
import { writeImportData } from './import-data.ts';
import { killImports } from './kill-imports.ts';
import { endPrograms, runProgram, startProgram } from './program.ts';

// Programs start, and machines are slow.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-kill9-held-'));
});
afterEach(async () => {
  await endPrograms();
  await rm(folder, { recursive: true, force: true });
});

/** The default policy, which holds the first trajectories of a run: more than there are. */
async function preflightPolicy(): Promise<string> {
  const shipped = await readFile(packageFile('processors', 'decide', 'policies', 'default.yaml'), 'utf8');
  const file = join(folder, 'policy.yaml');
  await writeFile(file, `${shipped.replace('name: default', 'name: preflight')}\ngate: { preflight: 100000 }\n`);
  return file;
}

/** As a reader of the ready topic finds them, by run. */
async function readyByRun(data: string): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  for (const line of (await runProgram(['ready', '--data', data, '--json'])).split('\n')) {
    if (line === '') continue;
    const { run_id, rollout_id }: TrajectoryJson = JSON.parse(line);
    runs.set(run_id, [...(runs.get(run_id) ?? []), rollout_id]);
  }
  return runs;
}

/** Offset of the record that closed each held attempt: held order within a run. */
async function heldOffsets(data: string): Promise<Map<string, number>> {
  const sql = 'SELECT run_id, rollout_id, toInt32(offset) AS offset FROM rollstream.live_decisions WHERE held';
  const rows: Array<{ run_id: string; rollout_id: string; offset: number }> = JSON.parse(
    await runProgram(['query', sql, '--data', data, '--format', 'json']),
  );
  return new Map(rows.map(({ run_id, rollout_id, offset }) => [`${run_id} ${rollout_id}`, offset]));
}

/** ms after its start at which a program says so. */
async function momentOf(args: readonly string[], words: RegExp): Promise<number> {
  const began = performance.now();
  const { saying, ended } = startProgram(args);
  await saying(words);
  const moment = performance.now() - began;
  await ended;
  return moment;
}

/** Kills it so long after its start; answers whether it was still there. */
async function killAt(args: readonly string[], moment: number): Promise<boolean> {
  const { child, ended } = startProgram(args);
  const timer = setTimeout(() => child.kill('SIGKILL'), moment);
  const { code, signal, stderr } = await ended;
  clearTimeout(timer);
  if (signal !== 'SIGKILL') expect(code, stderr).toBe(0);
  return signal === 'SIGKILL';
}

it('what a gate holds is neither lost nor ready while it is closed, and ready once and in order when it opens, whenever it is killed', async () => {
  const seed = 'kill9 held';
  const { folders, expected } = await writeImportData(folder, seed, { rollouts: 600, groups: 60 });
  const data = join(folder, 'data');
  const config = join(folder, 'rollstream.yaml');
  await writeFile(config, `policy_file: ${await preflightPolicy()}\n`);
  const random = createRandom(seed);
  const importAll = ['import', ...folders, '--config', config, '--data', data, '--json', '--quiet'];

  await killImports(importAll, 4, 6000, random, () => undefined);
  await runProgram(importAll);
  expect(await readyByRun(data)).toEqual(new Map());
  const held = await heldOffsets(data);
  expect([...held.keys()].sort()).toEqual([...expected.ready.keys()].sort());
  for (const [run, { started, ready }] of expected.runs) {
    const books = (await accountingOf(data)).runs.find(({ run_id }) => run_id === run);
    expect(books).toMatchObject({ started, ready: 0, held: ready, open: ready, balanced: true });
  }

  const runs = [...expected.runs.keys()];
  for (const run of runs) await runProgram(['gate', 'release', run, '--config', config, '--data', data]);
  const forwardIn = (dataFolder: string) => [
    'up',
    '--once',
    '--config',
    config,
    '--data',
    dataFolder,
    '--log-level',
    'info',
  ];
  const copyOf = async (n: number): Promise<string> => {
    const copy = `${data}-${n}`;
    await cp(data, copy, { recursive: true });
    return copy;
  };
  const moment = await momentOf(forwardIn(await copyOf(0)), /held trajectories are ready/);
  let hits = 0;
  // Each time from where nothing is moved yet, at another moment around that of the move.
  for (let n = 1; n <= 4; n++) {
    const copy = await copyOf(n);
    if (await killAt(forwardIn(copy), moment * (0.85 + 0.2 * random()))) hits += 1;
    await runProgram(forwardIn(copy));
    const ready = await readyByRun(copy);
    for (const [run, rollouts] of ready) {
      const offsets = rollouts.map((rollout) => held.get(`${run} ${rollout}`) ?? -1);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
    const names = [...ready].flatMap(([run, rollouts]) => rollouts.map((rollout) => `${run} ${rollout}`));
    expect(names.sort()).toEqual([...held.keys()].sort());
    for (const books of (await accountingOf(copy)).runs) expect(books).toMatchObject({ held: 0, balanced: true });
  }
  expect(hits).toBeGreaterThan(0);
  expect(await checkImport(`${data}-4`, expected)).toEqual([]);
});
