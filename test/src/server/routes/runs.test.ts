import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../../src/clickhouse/client.ts';
import { encodeRuns } from '../../../../src/clickhouse/tables/runs.ts';
import { STORE_FOLDER } from '../../../../src/config/data-folders.ts';
import { newRunRow } from '../../../../src/runs/write-run.ts';
import { cli, type RunningCli, startCli } from '../../cli/test-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollstream-runs-'));
const data = join(folder, 'data');
let server: RunningCli;
let url = '';

async function start(): Promise<void> {
  server = startCli(['up', '--port', '0', '--data', data], { cwd: folder });
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
}

async function stop(): Promise<void> {
  server.interrupt();
  await server.code;
}

beforeAll(start, 60_000);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

/** Of an answer, what tests look at; each has some of it. */
interface Body {
  readonly error: { readonly message: string };
  readonly runs: ReadonlyArray<{ readonly run_id: string; readonly state: string; readonly balanced: boolean }>;
  readonly stays: readonly string[];
  readonly trajectories: ReadonlyArray<{ readonly rollout_id: string }>;
}

interface Answer {
  readonly status: number;
  readonly body: Body;
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${url}${path}`, { method, ...json });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** A whole rollout without a group, or one that has only begun. */
function events(run_id: string, rollout_id: string, how: 'whole' | 'begun' = 'whole', attempt = 0): object[] {
  const base = {
    ...{ run_id, env_name: 'e', task_id: 't', rollout_id, attempt, producer_id: `p-${run_id}` },
    source: { format: 'test', version: '1' },
  };
  const id = `${rollout_id}.${attempt}`;
  const begun = [
    { ...base, seq: 0, event_id: `${id}.0`, kind: 'start', start: {} },
    {
      ...{ ...base, seq: 1, event_id: `${id}.1`, kind: 'model_call' },
      model_call: { call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1], completion_ids: [2, 3] },
    },
  ];
  if (how === 'begun') return begun;
  const end = { reasons: [{ system: 'strands-env', raw: 'task_complete' }] };
  const verdict = { scorer: 's', status: 'scored', rewards: { r: 1 } };
  return [
    ...begun,
    { ...base, seq: 2, event_id: `${id}.2`, kind: 'end', end },
    { ...base, event_id: `${id}.v`, kind: 'verdict', verdict },
  ];
}

const send = (...all: object[]): Promise<Answer> => ask('POST', '/v1/steps', all);
const drained = async (): Promise<void> => {
  await ask('GET', '/v1/import/drained');
};
const nameOf = (run: string): string => encodeURIComponent(run);
const lease = (run: string): Promise<Answer> =>
  ask('POST', '/v1/leases', { run, consumer: 'trainer', unit: 'rollout', count: 1 });

async function rowsOf(run: string): Promise<number> {
  const tables = ['steps', 'attempts', 'decisions', 'trajectories', 'verdicts', 'deliveries', 'audits', 'rewards'];
  const counts = tables.map((table) => `(SELECT count() FROM ${table} WHERE run_id = {run:String})`);
  const sql = `SELECT ${counts.join(' + ')} AS n`;
  const [found]: Array<{ n: number }> = JSON.parse(
    JSON.stringify((await ask('POST', '/v1/query', { sql, params: { run } })).body),
  );
  return Number(found?.n);
}

async function balanced(): Promise<Record<string, boolean>> {
  const { body } = await ask('GET', '/v1/accounting');
  return Object.fromEntries(body.runs.map((one) => [one.run_id, one.balanced]));
}

async function stateOf(run: string): Promise<Body['runs'][number] | undefined> {
  const { body } = await ask('GET', '/v1/runs');
  return body.runs.find(({ run_id }) => run_id === run);
}

describe('a run', () => {
  it('is declared before anything of it came, and once: the same again is the same', async () => {
    const wanted = { run_id: 'a/b%2F ü', purpose: 'train', note: 'n', quota: { events_per_second: 100 } };
    expect(await ask('POST', '/v1/runs', wanted)).toMatchObject({
      status: 200,
      body: { run_id: 'a/b%2F ü', state: 'active', declared: true, started: 0, events_per_second: 100 },
    });
    expect((await ask('POST', '/v1/runs', wanted)).status).toBe(200);
    expect(await ask('POST', '/v1/runs', { ...wanted, note: 'other' })).toMatchObject({
      ...{ status: 409, body: { error: { code: 'RS_CHECK_FAILED', field: 'run_id' } } },
    });
    expect(await ask('PUT', `/v1/runs/${nameOf('a/b%2F ü')}/quota`, { in_flight_bytes: 65_536 })).toMatchObject({
      ...{ status: 200, body: { events_per_second: null, in_flight_bytes: 65_536 } },
    });
    // A trainer that is there first waits; one that misspells it does not.
    expect([(await lease('a/b%2F ü')).status, (await lease('a/b ü')).status]).toEqual([200, 404]);
  });

  it.each([
    ['POST', '/v1/runs', { run_id: 'x'.repeat(201) }, 400, 'run_id'],
    ['POST', '/v1/runs', { run_id: 'x', purpose: 'play' }, 400, 'purpose'],
    ['POST', '/v1/runs', { run_id: 'x', quota: { events_per_second: 0 } }, 400, 'quota.events_per_second'],
    ['POST', '/v1/runs', { run_id: 'x', quota: { rate: 1 } }, 400, 'quota.rate'],
    ['PUT', '/v1/runs/nobody/quota', { events_per_second: 1 }, 404, 'run'],
    ['POST', '/v1/runs/nobody/archive', {}, 404, 'run'],
    ['DELETE', '/v1/runs/nobody', { confirm: 'nobody' }, 404, 'run'],
    ['DELETE', `/v1/runs/${nameOf('a/b%2F ü')}`, { confirm: 'a/b' }, 400, 'confirm'],
    ['DELETE', `/v1/runs/${nameOf('a/b%2F ü')}`, {}, 400, 'confirm'],
    ['DELETE', `/v1/runs/${nameOf('a/b%2F ü')}`, { confirm: 'a/b%2F ü', force: 'yes' }, 400, 'force'],
  ])('%s %s with %j is refused, naming the field', async (method, path, body, status, field) => {
    expect(await ask(method, path, body)).toMatchObject({ status, body: { error: { field } } });
  });

  it('that is archived takes no event and gives out no lease, says so for each, and goes on once it is opened', async () => {
    await send(...events('arch', 'r0'), ...events('stays', 's0'));
    await drained();
    expect(await ask('POST', '/v1/runs/arch/archive', {})).toMatchObject({ body: { state: 'archived', started: 1 } });
    const mixed = await send(...events('arch', 'r1').slice(0, 1), ...events('stays', 's1'));
    expect(mixed).toMatchObject({
      status: 200,
      body: { accepted: 4, refused_count: 1, refused: [{ index: 0, code: 'RS_RUN_CLOSED' }] },
    });
    expect(await send(...events('arch', 'r1'))).toMatchObject({
      ...{
        status: 409,
        body: { error: { code: 'RS_RUN_CLOSED', message: 'run arch is archived: unarchive it first' } },
      },
    });
    expect(await lease('arch')).toMatchObject({ status: 409, body: { error: { code: 'RS_RUN_CLOSED' } } });
    expect(await ask('POST', '/v1/runs/arch/admission', { count: 1 })).toMatchObject({ status: 409 });
    expect((await lease('stays')).status).toBe(200);
    await ask('POST', '/v1/runs/arch/unarchive');
    expect((await send(...events('arch', 'r1'))).body).toMatchObject({ accepted: 4 });
    expect((await lease('arch')).status).toBe(200);
  });

  it('that is in use is deleted only by force; then nothing of it is left, and all other books balance', async () => {
    // Stays open: a restart reads the log from here on, and so all of the deleted run.
    await send(...events('stays', 's2', 'begun'));
    await send(...events('gone', 'g0'), ...events('gone', 'g1'), ...events('gone', 'g2', 'begun'));
    await drained();
    expect((await lease('gone')).status).toBe(200);
    const before = await rowsOf('stays');
    const refused = await ask('DELETE', '/v1/runs/gone', { confirm: 'gone' });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toMatch(/1 attempt is open; 1 lease is out \(.* of trainer until /);
    const deleted = await ask('DELETE', '/v1/runs/gone', { confirm: 'gone', force: true });
    expect(deleted).toMatchObject({
      ...{ status: 200, body: { run_id: 'gone', state: 'deleted', removed: { attempts: 3, decisions: 3 } } },
    });
    expect(deleted.body.stays[0]).toContain('rollout.steps');
    expect([await rowsOf('gone'), await rowsOf('stays')]).toEqual([0, before]);
    expect(await balanced()).toEqual({ arch: true, stays: true });
    expect(await stateOf('gone')).toMatchObject({ state: 'deleted', started: 0, removed: { attempts: 3 } });
    expect(await lease('gone')).toMatchObject({ status: 409, body: { error: { code: 'RS_RUN_CLOSED' } } });
    expect((await send(...events('gone', 'g3'))).status).toBe(409);
    expect(await (await fetch(`${url}/v1/ready?run=gone`)).text()).toBe('');
  });

  it('that was deleted does not come back by a restart, which goes on with a deletion that was cut off', async () => {
    await send(...events('half', 'h0'), ...events('half', 'h1', 'begun'));
    await drained();
    await stop();
    const store = await openEmbeddedStore({ folder: join(data, STORE_FOLDER) });
    await store.insert(encodeRuns([{ ...newRunRow('half', 1), state: 'deleting', version: 1 }]));
    await store.close();
    await start();
    while ((await stateOf('half'))?.state === 'deleting') await drained();
    expect(await stateOf('half')).toMatchObject({ state: 'deleted', started: 0, open: 0, removed: { attempts: 2 } });
    expect([await rowsOf('half'), await rowsOf('gone')]).toEqual([0, 0]);
    expect(await balanced()).toEqual({ arch: true, stays: true });
  });

  it('takes the name of a deleted one only where that is asked for, and has nothing of it', async () => {
    expect(await lease('gone')).toMatchObject({ status: 409 });
    expect(await ask('POST', '/v1/runs', { run_id: 'gone' })).toMatchObject({
      ...{ status: 200, body: { state: 'active', removed: {}, started: 0 } },
    });
    expect((await send(...events('gone', 'g0'))).body).toMatchObject({ accepted: 4 });
    await drained();
    const { body } = await lease('gone');
    expect(body.trajectories.map(({ rollout_id }) => rollout_id)).toEqual(['g0']);
    expect(await balanced()).toEqual({ arch: true, stays: true, gone: true });
    expect(await stateOf('gone')).toMatchObject({ state: 'active', started: 1, ready: 1 });
    // What was decided last is in the memory of its lane, too.
    expect(await ask('DELETE', '/v1/runs/gone', { confirm: 'gone', force: true })).toMatchObject({ status: 200 });
    expect(await ask('POST', '/v1/runs', { run_id: 'gone' })).toMatchObject({ status: 200 });
    expect((await send(...events('gone', 'g0'))).body).toMatchObject({ accepted: 4 });
    await drained();
    expect(await stateOf('gone')).toMatchObject({ state: 'active', started: 1, ready: 1 });
    expect((await lease('gone')).body.trajectories.map(({ rollout_id }) => rollout_id)).toEqual(['g0']);
  });

  it('is listed, created, archived and deleted by the command line, through the server and without one', async () => {
    const run = (...argv: string[]) => cli(['runs', ...argv, '--data', data], { cwd: folder });
    expect(await run('create', 'cli', '--note', 'x')).toMatchObject({ code: 0, stdout: 'run cli is created\n' });
    expect((await run('--json')).stdout).toContain('"run_id":"cli"');
    expect(await run('archive', 'cli')).toMatchObject({ code: 0 });
    expect(await run('delete', 'cli', '--confirm', 'clo')).toMatchObject({ code: 2 });
    const file = join(folder, 'some.jsonl');
    const lines = [...events('cli', 'c0').slice(0, 1), ...events('stays', 's3')];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await cli(['import', file, '--json', '--data', data])).toMatchObject({
      ...{ code: 4, stdout: expect.stringMatching(/^{"records_read":5,"events":4,"refused":1,/) },
      stderr: expect.stringContaining('some.jsonl:1: run cli is archived: unarchive it first'),
    });
    await send(...events('left', 'l0', 'begun'));
    await drained();
    await stop();
    expect(await run('delete', 'left', '--confirm', 'left')).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('1 attempt is open') },
    });
    const deleted = await run('delete', 'left', '--confirm', 'left', '--force');
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^run left is deleted\n\nremoved from/) });
    const listed = (await run()).stdout;
    expect(listed).toMatch(/^cli +archived/m);
    expect(listed).toMatch(/^left +deleted +0 +0 +0/m);
  });
});
