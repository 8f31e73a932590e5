import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRandom } from '../../examples/generate/random.ts';
import { packageFile } from '../../src/config/package-file.ts';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { accountingOf, checkImport } from './check-import.ts';
import { writeImportData } from './import-data.ts';
import { endPrograms, startProgram } from './program.ts';
import { told } from './told.ts';
import { untilAppended } from './until-appended.ts';

// Programs start, and machines are slow.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

/** Other moments each time. */
const seed = String(Date.now());
/** Bytes; the whole has 1.5 MB. */
const HALF_OF_THE_LOG = 750_000;

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
  for (const line of (await told(['ready', '--data', data, '--json'])).split('\n')) {
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
    await told(['query', sql, '--data', data, '--format', 'json']),
  );
  return new Map(rows.map(({ run_id, rollout_id, offset }) => [`${run_id} ${rollout_id}`, offset]));
}

/** Kills it once it says so; answers how many ms after its start that was. */
async function killSaying(args: readonly string[], words: RegExp): Promise<number> {
  const began = performance.now();
  const { child, saying, ended } = startProgram(args);
  await saying(words);
  const moment = performance.now() - began;
  child.kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
  return moment;
}

/** It dies where it begins that insert. */
async function killAtInsert(args: readonly string[], insert: string): Promise<void> {
  const preload = new URL('../examples/kill-at-insert.mjs', import.meta.url).href;
  const { ended } = startProgram(args, { KILL_AT_INSERT: insert, NODE_OPTIONS: `--import ${preload}` });
  expect((await ended).signal).toBe('SIGKILL');
}

/** Kills it so long after its start, unless it has ended. */
async function killAt(args: readonly string[], moment: number): Promise<void> {
  const { child, ended } = startProgram(args);
  const timer = setTimeout(() => child.kill('SIGKILL'), moment);
  const { code, signal, stderr } = await ended;
  clearTimeout(timer);
  if (signal !== 'SIGKILL') expect(code, stderr).toBe(0);
}

it('what a gate holds is neither lost nor ready while it is closed, and ready once and in order when it opens, whenever it is killed', async () => {
  const { folders, expected } = await writeImportData(folder, seed, { rollouts: 240, groups: 24 });
  const data = join(folder, 'data');
  const config = join(folder, 'rollstream.yaml');
  await writeFile(config, `policy_file: ${await preflightPolicy()}\n`);
  const random = createRandom(seed);
  const importAll = ['import', ...folders, '--config', config, '--data', data, '--json', '--quiet'];

  for (let kill = 0; kill < 2; kill++) {
    const { child, ended } = startProgram(importAll);
    await untilAppended(data, random() * HALF_OF_THE_LOG);
    child.kill('SIGKILL');
    expect((await ended).signal, `seed ${seed}`).toBe('SIGKILL');
  }
  await told(importAll);
  expect(await readyByRun(data)).toEqual(new Map());
  const held = await heldOffsets(data);
  expect([...held.keys()].sort()).toEqual([...expected.ready.keys()].sort());
  const { runs: all } = await accountingOf(data);
  for (const [run, { started, ready }] of expected.runs) {
    const books = all.find(({ run_id }) => run_id === run);
    expect(books).toMatchObject({ started, ready: 0, held: ready, open: ready, balanced: true });
  }

  const runs = [...expected.runs.keys()];
  for (const run of runs) await told(['gate', 'release', run, '--config', config, '--data', data]);
  const forwardIn = (copy: string) => ['up', '--once', '--config', config, '--data', copy, '--log-level', 'info'];
  let moment = 0;
  // Each time from where nothing is moved yet: before the rows of the move, behind its transaction, and somewhere around it.
  const kills: ReadonlyArray<(args: readonly string[]) => Promise<unknown>> = [
    (args) => killAtInsert(args, 'released:1'),
    async (args) => {
      moment = await killSaying(args, /held trajectories are ready/);
    },
    (args) => killAt(args, moment * (0.85 + 0.2 * random())),
  ];
  for (const [n, kill] of kills.entries()) {
    const copy = `${data}-${n}`;
    await cp(data, copy, { recursive: true });
    await kill(forwardIn(copy));
    await told(forwardIn(copy));
    const ready = await readyByRun(copy);
    for (const [run, rollouts] of ready) {
      const offsets = rollouts.map((rollout) => held.get(`${run} ${rollout}`) ?? -1);
      expect(offsets, `seed ${seed}`).toEqual(offsets.toSorted((a, b) => a - b));
    }
    const names = [...ready].flatMap(([run, rollouts]) => rollouts.map((rollout) => `${run} ${rollout}`));
    expect(names.sort(), `seed ${seed}`).toEqual([...held.keys()].sort());
    for (const books of (await accountingOf(copy)).runs) expect(books).toMatchObject({ held: 0, balanced: true });
  }
  expect(await checkImport(`${data}-2`, expected)).toEqual([]);
});
