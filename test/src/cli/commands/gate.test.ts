import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import { cli, type RunningCli, startCli } from '../test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-gate-'));
  const shipped = readFileSync(packageFile('processors/decide/policies/default.yaml'), 'utf8');
  const gate = (preflight: number) =>
    `gate: { preflight: ${preflight}, min_count: 2, window: 8, limits: { auditable_coverage: off } }`;
  writeFileSync(join(folder, 'preflight.yaml'), `${shipped}\n${gate(3)}\n`);
  writeFileSync(join(folder, 'plain.yaml'), `${shipped}\n${gate(0)}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of attempts without a group: `clean` ones complete, those that gave `up` end for a reason that nobody knows. */
function file(name: string, run: string, rollouts: Readonly<Record<string, 'clean' | 'up'>>): string {
  const path = join(folder, `${name}.jsonl`);
  const lines = Object.entries(rollouts).flatMap(([rollout_id, how]) => {
    const base = {
      ...{ run_id: run, env_name: 'e', task_id: 't', rollout_id, attempt: 0, producer_id: 'p' },
      source: { format: 'test', version: '1' },
    };
    const call = { call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1], completion_ids: [2, 3] };
    const reason =
      how === 'clean' ? { system: 'strands-env', raw: 'task_complete' } : { system: 'mine', raw: 'gave up' };
    return [
      { ...base, seq: 0, event_id: `${rollout_id}.0`, kind: 'start', start: {} },
      { ...base, seq: 1, event_id: `${rollout_id}.1`, kind: 'model_call', model_call: call },
      { ...base, seq: 2, event_id: `${rollout_id}.2`, kind: 'end', end: { reasons: [reason] } },
      {
        ...{ ...base, event_id: `${rollout_id}.v`, kind: 'verdict' },
        verdict: { scorer: 's', status: 'scored', rewards: { r: 1 } },
      },
    ];
  });
  writeFileSync(path, lines.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return path;
}

async function statusOf(run: string, data: string): Promise<GateStatus> {
  const { code, stdout } = await cli(['gate', 'status', '--run', run, '--json', '--data', data]);
  expect(code).toBe(0);
  const { gates }: { gates: GateStatus[] } = JSON.parse(stdout);
  const [gate] = gates;
  if (gate === undefined) throw new Error(`nothing is told of ${run}`);
  return gate;
}

describe('a server with preflight', () => {
  const data = () => join(folder, 'served');
  let server: RunningCli;
  let url = '';
  let hook: Server;
  const told: Array<{ readonly run_id: string; readonly state: string; readonly why: unknown }> = [];
  const waiting: Array<() => void> = [];
  beforeAll(async () => {
    hook = createServer(async (request, response) => {
      told.push(JSON.parse(await text(request)));
      response.end();
      for (const look of waiting) look();
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const { port } = hook.address() as AddressInfo;
    server = startCli(['up', '--port', '0', '--data', data()], {
      env: {
        ROLLSTREAM_GATE_INTERVAL: '50ms',
        ROLLSTREAM_POLICY_FILE: join(folder, 'preflight.yaml'),
        ROLLSTREAM_GATE_WEBHOOK: `http://127.0.0.1:${port}/hook?token=secret`,
      },
      cwd: folder,
    });
    url = (await server.said(/serving at (\S+)/))[1] ?? '';
  });
  afterAll(async () => {
    server.interrupt();
    await server.code;
    hook.close();
  });

  /** Resolves when the webhook was told of the state. */
  const toldOf = (run: string, state: string) =>
    new Promise<(typeof told)[number]>((resolve) => {
      const look = () => {
        const found = told.find((one) => one.run_id === run && one.state === state);
        if (found !== undefined) resolve(found);
      };
      waiting.push(look);
      look();
    });
  /** The first ready ones of a run, once there are so many. */
  async function ready(run: string, count: number): Promise<string[]> {
    for (let from = 0, ids: string[] = []; ; ) {
      const answer = await fetch(`${url}/v1/ready?run=${run}&from=${from}&wait_ms=20000`);
      const lines = (await answer.text()).split('\n').filter((line) => line !== '');
      ids = [...ids, ...lines.map((line): string => JSON.parse(line).rollout_id)];
      from = Number(answer.headers.get('rollstream-next'));
      if (ids.length >= count) return ids;
    }
  }

  it('lets the first trajectories of a clean run through, in order', async () => {
    await cli(['import', file('good', 'good', { a: 'clean', b: 'clean', c: 'clean' }), '--data', data()]);
    await toldOf('good', 'open');
    expect(await ready('good', 3)).toEqual(['a', 'b', 'c']);
    expect(await statusOf('good', data())).toMatchObject({ state: 'open', by: 'evaluator', held: 0 });
  });

  it('holds those of a bad run, says so everywhere, and lets them go when a person does', async () => {
    await cli(['import', file('bad', 'bad', { d: 'clean', e: 'up', f: 'up', g: 'clean' }), '--data', data()]);
    expect((await toldOf('bad', 'hold')).why).toMatchObject({ tripped: [{ limit: 'unknown_reasons' }] });
    expect(await statusOf('bad', data())).toMatchObject({
      ...{ state: 'hold', by: 'evaluator', held: 2 },
      window: { trajectories: 4, preflight: 3 },
    });
    const shown = await cli(['gate', 'status', '--run', 'bad', '--data', data()]);
    expect(shown.stdout).toMatch(/^bad: hold, since \S+, by evaluator; 2 held\n {2}unknown_reasons is /);
    const books = JSON.parse((await cli(['accounting', '--run', 'bad', '--json', '--data', data()])).stdout);
    expect(books.runs).toMatchObject([{ held: 2, ready: 0, balanced: true }]);
    const explained = await cli(['explain', 'd', '--run', 'bad', '--data', data()]);
    expect(explained.stdout).toMatch(/It is held: the gate of its run is closed since \S+: unknown_reasons is/);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('rollstream_gate_changes_total{state="hold",by="evaluator"} 1');

    const released = await cli(['gate', 'release', 'bad', '--reason', 'known', '--data', data()]);
    expect(released).toMatchObject({ code: 0, stdout: 'the gate of bad is open from here on (before: hold)\n' });
    expect(await ready('bad', 2)).toEqual(['d', 'g']);
    expect((await toldOf('bad', 'open')).why).toEqual({ reason: 'known' });
    // The same trajectories do not trip it again.
    expect(await statusOf('bad', data())).toMatchObject({ state: 'open', held: 0, window: { trajectories: 0 } });
    const again = await cli(['gate', 'release', 'bad', '--data', data()]);
    expect(again).toMatchObject({ code: 0, stdout: 'the gate of bad is open: there is nothing to release\n' });
  });

  it('refuses what it cannot know, naming what was probably meant', async () => {
    expect(await cli(['gate', 'release', 'goood', '--data', data()])).toMatchObject({
      ...{ code: 1, stderr: expect.stringMatching(/no run is named goood \(did you mean good\?\) \[RS_NOT_FOUND\]/) },
    });
    expect(await cli(['gate', 'set', 'good', 'holdd', '--data', data()])).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/did you mean hold\?/) },
    });
    expect(await cli(['gate', 'set', 'good', 'quarantine', '--data', data()])).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/quarantine needs the classes/) },
    });
    const post = (body: string) =>
      fetch(`${url}/v1/runs/good/gate`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect((await post('{"state":"shut"}')).status).toBe(400);
    expect((await post('{"release":true,"state":"open"}')).status).toBe(400);
    expect((await post('{"state":"hold","classes":["a"]}')).status).toBe(400);
    expect((await post('[]')).status).toBe(400);
  });
});

it('is set on data that nobody serves: lanes obey when they next run', async () => {
  const data = join(folder, 'alone');
  const env = { ROLLSTREAM_POLICY_FILE: join(folder, 'plain.yaml') };
  expect(await cli(['import', file('one', 'run', { a: 'clean' }), '--data', data], { env })).toMatchObject({ code: 0 });
  expect(await cli(['gate', 'set', 'run', 'hold', '--reason', 'wait', '--data', data], { env })).toMatchObject({
    ...{ code: 0, stdout: 'the gate of run is hold from here on (before: open)\n' },
  });
  expect(await cli(['import', file('two', 'run', { b: 'clean' }), '--data', data], { env })).toMatchObject({ code: 0 });
  expect(await statusOf('run', data)).toMatchObject({ state: 'hold', by: 'set', held: 1, why: { reason: 'wait' } });
  expect(await cli(['gate', 'release', 'run', '--data', data], { env })).toMatchObject({ code: 0 });
  expect(await cli(['up', '--once', '--data', data], { env })).toMatchObject({ code: 0 });
  const { stdout } = await cli(['ready', '--data', data], { env });
  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.map((line): string => JSON.parse(line).rollout_id)).toEqual(['a', 'b']);
});
