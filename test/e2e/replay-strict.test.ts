import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import type { ReplayReport } from '../../src/rescore/replays.ts';
import { cli } from '../src/cli/test-io.ts';
import { endPrograms, startProgram } from './program.ts';
import { rowsOf } from './replay-rows.ts';

/** The examples, decided live by the default policy and by `strict`. */
const ROLLOUTS = packageFile('examples', 'rollouts');
let folder = '';
let byDefault: string[] = [];
let byStrict: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-replay-strict-'));
  byDefault = ['--data', join(folder, 'default')];
  byStrict = ['--data', join(folder, 'strict')];
  const paths = readdirSync(ROLLOUTS).map((run) => join(ROLLOUTS, run));
  // One of their lines is torn, which is why it is not 0.
  expect((await cli(['import', ...paths, ...byDefault])).code).toBe(4);
  const env = { ROLLSTREAM_POLICY_FILE: 'strict' };
  expect((await cli(['import', ...paths, ...byStrict], { env })).code).toBe(4);
}, 240_000);
afterAll(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

async function replay(...flags: readonly string[]): Promise<ReplayReport> {
  const { code, stdout, stderr } = await startProgram(['replay', ...flags, '--save', '--json', ...byDefault]).ended;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

it('a replay under the documents that decided then gives the live rows, row for row', async () => {
  const { status, diff } = await replay('--late', 'ignore');
  expect(diff).toMatchObject({ changed: 0, vanished: 0, appeared: 0, same: diff.attempts });
  for (const table of ['decisions', 'rewards'] as const)
    expect(await rowsOf(table, status.replay_id, byDefault)).toEqual(await rowsOf(table, '', byDefault));
}, 120_000);

it('a replay that makes audits again gives the live rows of those too', async () => {
  const { status, diff } = await replay('--late', 'ignore', '--audits');
  expect(diff).toMatchObject({ changed: 0, vanished: 0, appeared: 0 });
  for (const table of ['decisions', 'rewards', 'audits'] as const)
    expect(await rowsOf(table, status.replay_id, byDefault)).toEqual(await rowsOf(table, '', byDefault));
}, 120_000);

it.each(['store', 'log'])(
  'a replay under strict out of the %s gives the rows of a live run under strict',
  async (source) => {
    const { status } = await replay('--policy', 'strict', '--source', source, '--late', 'ignore');
    // An import has its own time, and its deadlines stand where they came to stand.
    const ofTheImport = ['offset', 'first_offset', 'decided_at'];
    const live = await rowsOf('decisions', '', byStrict, ofTheImport);
    expect(live.length).toBeGreaterThan(100);
    expect(await rowsOf('decisions', status.replay_id, byDefault, ofTheImport)).toEqual(live);
    expect(await rowsOf('rewards', status.replay_id, byDefault, ['offset'])).toEqual(
      await rowsOf('rewards', '', byStrict, ['offset']),
    );
  },
  120_000,
);
