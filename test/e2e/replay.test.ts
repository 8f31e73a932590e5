import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { shippedPolicyFile } from '../../src/policies/shipped-policies.ts';
import type { ReplayReport, ReplayStatus } from '../../src/rescore/replays.ts';
import { cli, type RunningCli, startCli } from '../src/cli/test-io.ts';
import { endPrograms, startProgram } from './program.ts';
import { rowsOf } from './replay-rows.ts';
import { told } from './told.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Replayed in pieces of a few units. */
const RUNS = ['files-events', 'math'];
let folder = '';
let data: string[] = [];
let undisturbed: ReplayReport;
let undisturbedRows: string[][] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-replay-'));
  writeFileSync(join(folder, 'config.yaml'), 'replay:\n  chunk_events: 50\n');
  data = ['--data', join(folder, 'data'), '--config', join(folder, 'config.yaml')];
  const paths = RUNS.map((run) => packageFile('examples', 'rollouts', run));
  expect([0, 4]).toContain((await cli(['import', ...paths, ...data])).code);
  undisturbed = await reportOf('--policy', 'strict', '--save');
  undisturbedRows = await rowsUnder(undisturbed.status.replay_id);
});
afterAll(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

async function reportOf(...flags: readonly string[]): Promise<ReplayReport> {
  return JSON.parse(await told(['replay', ...flags, '--json', ...data]));
}

/** What a report says, whichever replay it is of. */
const saidBy = ({ status: { chunks, units, attempts, changed }, ...report }: ReplayReport) => ({
  ...report,
  status: { chunks, units, attempts, changed },
});
const rowsUnder = async (replayId: string) => [
  await rowsOf('decisions', replayId, data),
  await rowsOf('rewards', replayId, data),
];

it('is killed in the middle of a save, and gone on with: rows and report are those of one that was not', async () => {
  expect(undisturbed.status.chunks).toBeGreaterThan(5);
  const killed = startProgram(['replay', '--policy', 'strict', '--save', '--log-level', 'debug', ...data]);
  await killed.saying(/"chunk":2,.*a piece of a replay is done/);
  killed.child.kill('SIGKILL');
  const { signal, stderr } = await killed.ended;
  expect(signal).toBe('SIGKILL');
  const replayId = /^replay (\S+)/m.exec(stderr)?.[1] ?? '';

  const shown: ReplayStatus = JSON.parse((await cli(['replay', '--status', replayId, '--json', ...data])).stdout);
  expect(shown).toMatchObject({ state: 'running', interrupted: true, saved: true });
  const { stdout } = await cli(['query', 'SELECT count() AS n FROM rollstream.finished_replays', ...data, '--json']);
  expect(JSON.parse(stdout)).toEqual([{ n: 1 }]);

  const resumed = await reportOf('--resume', replayId);
  expect(resumed.status.replay_id).toBe(replayId);
  expect(saidBy(resumed)).toEqual(saidBy(undisturbed));
  expect(await rowsUnder(replayId)).toEqual(undisturbedRows);
  // It is done: asked again it says the same, and does nothing.
  expect(await reportOf('--resume', replayId)).toEqual(resumed);
});

it('Ctrl-C cancels: it ends with what goes on with it', async () => {
  const { child, ended, saying } = startProgram(['replay', '--policy', 'strict', '--save', ...data]);
  const [, replayId = ''] = await saying(/^replay (\S+)/m);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(`error: cancelled; --resume ${replayId} goes on with it [RS_INTERRUPTED]`);
  const { stdout: shown } = await cli(['replay', '--status', replayId, ...data]);
  expect(shown).toMatch(new RegExp(`^${replayId}: cancelled; `));
});

describe('what cannot be replayed is told before anything is read', () => {
  const policy = () => join(folder, 'mine.yaml');
  const cases: [string, () => string[], number, RegExp][] = [
    ['a policy with an unknown code', () => ['--policy', policy()], 2, /mine\.yaml:\d+: codes\.auth_qouta.*RS_CONFIG/],
    ['a policy that is not there', () => ['--policy', 'stricct'], 1, /stricct.*strict.*RS_NOT_FOUND/],
    ['a taxonomy that is none', () => ['--taxonomy', policy()], 2, /mine\.yaml.*RS_CONFIG/],
    ['no condition', () => ['--where', 'reason_code'.concat(' = ')], 2, /where: not a condition/],
    ['two conditions', () => ['--where', 'attempt > 0; attempt < 3'], 2, /where: one condition/],
    ['an unknown run', () => ['--run', 'nobody'], 1, /no run is named nobody.*RS_NOT_FOUND/],
    ['from behind to', () => ['--from', '9', '--to', '3'], 2, /to: lies before from/],
    ['a negative offset', () => ['--from', '-5'], 2, /--from -5: an offset from 0/],
    ['a partition that is not there', () => ['--from', '7:0'], 2, /from\.partition: the log has 1/],
    ['a time that is none', () => ['--to', '2026-13-45'], 2, /--to 2026-13-45/],
    [
      'a topic that is something else',
      () => ['--emit', 'rollout.steps'],
      2,
      /emit\.topic: rollout\.steps is for.*RS_USAGE/,
    ],
    ['a topic that is not there', () => ['--emit', 'nobodys'], 2, /nobodys.*RS_UNKNOWN_TOPIC/],
    ['a page in no folder', () => ['--html', join(folder, 'no', 'page.html')], 2, /page\.html cannot be written/],
    ['an unknown replay to compare with', () => ['--against', 'r0'], 1, /no replay r0.*RS_NOT_FOUND/],
    ['a dry run that is to be saved', () => ['--dry-run', '--save'], 2, /--dry-run writes nothing/],
    ['a wish of an emission that is not', () => ['--again'], 2, /--again says what --emit does/],
    ['an unknown replay to go on with', () => ['--resume', 'r0'], 1, /no replay r0/],
    ['an unknown replay to look at', () => ['--status', 'r0'], 1, /no replay has the id r0/],
    ['a report of an unknown replay', () => ['--report', 'r0'], 1, /no replay has the id r0/],
    ['an id that is none', () => ['--status', ''], 2, /status: 1 to 100 of.*RS_USAGE/],
    ['two wishes at once', () => ['--list', '--cancel', 'r0'], 2, /one of them/],
    [
      'a replay to go on with otherwise',
      () => ['--resume', 'r0', '--policy', 'strict'],
      2,
      /--resume takes no --policy/,
    ],
  ];
  beforeAll(() => {
    const strict = readFileSync(shippedPolicyFile('strict'), 'utf8');
    writeFileSync(policy(), strict.replace('auth_quota:', 'auth_qouta:'));
  });
  it.each(cases)('%s', async (_, flags, code, why) => {
    const ran = await cli(['replay', ...flags(), ...data]);
    expect(ran.stderr).toMatch(why);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' });
    expect(ran.stderr).not.toMatch(/^replay /m);
  });
});

describe('by the server that owns the data', () => {
  let server: RunningCli;
  let url = '';
  beforeAll(async () => {
    server = startCli(['up', '--port', '0', ...data]);
    url = (await server.said(/serving at (\S+)/))[1] ?? '';
  });
  afterAll(async () => {
    server.interrupt();
    expect(await server.code).toBe(0);
  });
  const post = (path: string, body: object = {}) =>
    fetch(`${url}/v1/replays${path}`, { method: 'POST', body: JSON.stringify(body) });
  const statusIn = async (response: Response): Promise<ReplayStatus> => JSON.parse(await response.text());
  const statusOf = async (id: string) => statusIn(await fetch(`${url}/v1/replays/${id}`));
  const policy = { text: readFileSync(shippedPolicyFile('strict'), 'utf8') };

  async function over(id: string): Promise<ReplayStatus> {
    await expect.poll(async () => (await statusOf(id)).state, { timeout: 60_000, interval: 100 }).not.toBe('running');
    return statusOf(id);
  }

  it('rows and report are those of a replay in process', async () => {
    const report = await reportOf('--policy', 'strict', '--save');
    expect(saidBy(report)).toEqual(saidBy(undisturbed));
    expect(await rowsUnder(report.status.replay_id)).toEqual(undisturbedRows);
  });

  it('two of the same runs work at once, and a third is told to come again', async () => {
    const begun = await Promise.all(
      ['one', 'two', 'three'].map((id) => post('', { replay_id: id, save: true, policy })),
    );
    const refused = begun.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([[503, '1']]);
    expect(await refused[0]?.json()).toMatchObject({ error: { code: 'RS_BUSY' } });
    const ids = ['one', 'two', 'three'].filter((_, i) => begun[i]?.status === 200);
    for (const id of ids) {
      expect(await over(id)).toMatchObject({ state: 'done', error: null });
      expect(await rowsUnder(id)).toEqual(undisturbedRows);
    }
    // The same request is the same replay; another one under its id is refused.
    expect(await (await post('', { replay_id: ids[0], save: true, policy })).json()).toMatchObject({ state: 'done' });
    expect((await post('', { replay_id: ids[0], save: true })).status).toBe(409);
  });

  it('one that is cancelled writes nothing any more, is no version, and can be gone on with', async () => {
    await post('', { replay_id: 'late', save: true, policy });
    const cancelled = await statusIn(await post('/late/cancel'));
    expect(cancelled).toMatchObject({ state: 'cancelled', interrupted: false });
    expect(cancelled.ended_at).not.toBeNull();
    const count = async () =>
      (await cli(['query', `SELECT count() AS n FROM rollstream.decisions WHERE replay_id = 'late'`, ...data])).stdout;
    const before = await count();
    expect((await cli(['replay', '--report', 'late', ...data])).stderr).toMatch(/it is not done/);
    const latest = `SELECT count() AS n FROM rollstream.latest_decisions WHERE version_id = 'late'`;
    expect(JSON.parse((await cli(['query', latest, ...data, '--json'])).stdout)).toEqual([{ n: 0 }]);
    expect(await count()).toBe(before);

    expect(saidBy(await reportOf('--resume', 'late'))).toEqual(saidBy(undisturbed));
    expect(await rowsUnder('late')).toEqual(undisturbedRows);
  });

  it('a dry run writes no row, and is known as long as the server lives', async () => {
    const report = await reportOf('--policy', 'strict');
    const { replay_id } = report.status;
    expect(saidBy(report)).toEqual(saidBy({ ...undisturbed, status: { ...undisturbed.status } }));
    expect(await statusOf(replay_id)).toMatchObject({ state: 'done', saved: false });
    const rows = `SELECT count() AS n FROM rollstream.decisions WHERE replay_id = '${replay_id}'`;
    expect(JSON.parse((await cli(['query', rows, ...data, '--json'])).stdout)).toEqual([{ n: 0 }]);
    expect(await reportOf('--report', replay_id)).toEqual(report);
  });
});
