import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyText } from '../../../processors/harness.ts';
import { cli, type RunningCli, startCli } from '../../cli/test-io.ts';

/** A trainer, an engine and the pipeline between them, through HTTP and the command line alone. */
let folder = '';
let data: string[] = [];
let server: RunningCli;
let url = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-trainer-'));
  data = ['--data', join(folder, 'data')];
  const policy = join(folder, 'policy.yaml');
  const sections = 'staleness: { max_lag: 1, over: drop }\nadmission: { batch_rollouts: 2 }\n';
  writeFileSync(policy, `${policyText()}\n${sections}`);
  server = startCli(['up', '--port', '0', ...data], { env: { ROLLSTREAM_POLICY_FILE: policy } });
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true });
});

async function post(path: string, body: unknown): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return [response.status, JSON.parse(await response.text())];
}
async function rows(sql: string): Promise<Array<Record<string, unknown>>> {
  const response = await fetch(`${url}/v1/query`, { method: 'POST', body: JSON.stringify({ sql }) });
  return JSON.parse(await response.text());
}
/** Step events of rollouts, each sampled by one version. */
function lines(rollouts: Readonly<Record<string, string>>): string {
  return Object.entries(rollouts)
    .flatMap(([rollout_id, version]) => {
      const of = { run_id: 'r', env_name: 'calc', task_id: 'sum', rollout_id, attempt: 0, producer_id: 'loop' };
      const source = { format: 'rollstream', version: '1' };
      const call = { call_id: 'c', prompt_delta_ids: [1], completion_ids: [2], weight_spans: [{ start: 0, version }] };
      return [
        { ...of, source, seq: 0, event_id: `${rollout_id}.0`, kind: 'start', start: { prompt: 'sum' } },
        { ...of, source, seq: 1, event_id: `${rollout_id}.1`, kind: 'model_call', model_call: call },
        {
          ...{ ...of, source, seq: 2, event_id: `${rollout_id}.2`, kind: 'end' },
          end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] },
        },
        {
          ...{ ...of, source, event_id: `${rollout_id}.v`, kind: 'verdict' },
          verdict: { scorer: 's', status: 'scored', rewards: { r: 1 } },
        },
      ];
    })
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
}

describe('a trainer that announces its weights', () => {
  it('is answered with their order, and what they sampled is decided by it', async () => {
    for (const [step, version] of ['blue', 'amber', 'cyan'].entries())
      expect(await post('/v1/versions', { run: 'r', step, version })).toEqual([
        200,
        { run: 'r', lineage: '', step, version, ordinal: step },
      ]);
    // In the log of the lane, and flushed: from here on they decide.
    const inForce = "select count() n from rollstream.steps final where kind = 'control' and run_id = 'r'";
    while (Number((await rows(inForce))[0]?.n) < 3);
    const file = join(folder, 'steps.jsonl');
    writeFileSync(file, lines({ old: 'blue', newer: 'amber', newest: 'cyan', unheard: 'violet' }));
    expect(await cli(['import', file, '--format', 'rollstream', ...data])).toMatchObject({ code: 0 });
    const decided = await rows(
      'select rollout_id, disposition, why[1] as why, lag, weights_version_min as v from rollstream.live_decisions order by rollout_id',
    );
    expect(decided.map(({ rollout_id, disposition, why, lag, v }) => [rollout_id, disposition, why, lag, v])).toEqual([
      ['newer', 'train', 'task_complete', 1, 'amber'],
      ['newest', 'train', 'task_complete', 0, 'cyan'],
      ['old', 'drop', 'stale', 2, 'blue'],
      ['unheard', 'train', 'task_complete', null, 'violet'],
    ]);
    expect(await cli(['accounting', ...data])).toMatchObject({ code: 0 });
  });

  it('is granted rollouts by what was accepted since', async () => {
    // (1 + 2 + 1) × 2 − 3 accepted.
    expect(await post('/v1/runs/r/admission', { count: 9 })).toMatchObject([
      200,
      { granted: 5, capacity: 5, running: 0, accepted: 3, version: 2, why: 'lag' },
    ]);
    expect(await post('/v1/runs/r/admission', { count: 1, env: 'calc' })).toMatchObject([
      200,
      { granted: 0, running: 5 },
    ]);
    expect(await post('/v1/runs/new/admission', { count: 9 })).toMatchObject([200, { granted: 4, version: null }]);
  });

  it('reads how hard its tasks are', async () => {
    const response = await fetch(`${url}/v1/tasks?run=r`);
    const { tasks }: { tasks: Array<Record<string, unknown>> } = JSON.parse(await response.text());
    expect(
      tasks.map(({ task_id, weights_version, attempts, pass_rate }) => [task_id, weights_version, attempts, pass_rate]),
    ).toEqual(
      expect.arrayContaining([
        ['sum', 'amber', 1, 1],
        ['sum', 'blue', 1, 1],
        ['sum', 'cyan', 1, 1],
        ['sum', 'violet', 1, 1],
      ]),
    );
    expect(await (await fetch(`${url}/v1/tasks?run=nobody`)).json()).toEqual({ tasks: [] });
    expect((await fetch(`${url}/v1/tasks?pass=high`)).status).toBe(400);
    const named = await cli(['query', '--named', 'task_difficulty', '--param', 'run=r', '--json', ...data]);
    expect(JSON.parse(named.stdout)).toEqual(tasks);
  });

  it.each([
    ['a name that was used, for another step', { run: 'r', step: 7, version: 'blue' }, 409, 'version'],
    ['a name that was used, in another lineage', { run: 'r', lineage: 'l2', step: 2, version: 'cyan' }, 409, 'version'],
    ['a step that went back', { run: 'r', step: 1, version: 'new' }, 409, 'step'],
    ['no run', { step: 1, version: 'new' }, 400, 'run'],
    ['a name without characters', { run: 'r', step: 9, version: '' }, 400, 'version'],
    ['a name that cannot be written', { run: 'r', step: 9, version: '\ud800' }, 400, 'version'],
    ['a step as text', { run: 'r', step: '9', version: 'new' }, 400, 'step'],
    ['a step that is no whole number', { run: 'r', step: 9.5, version: 'new' }, 400, 'step'],
    ['a negative step', { run: 'r', step: -1, version: 'new' }, 400, 'step'],
    ['a key that is misspelt', { run: 'r', step: 9, version: 'new', linage: 'l2' }, 400, 'linage'],
    ['a lineage that is no whole number', { run: 'r', lineage: 1.5, step: 9, version: 'new' }, 400, 'lineage'],
    ['a lineage below 0', { run: 'r', lineage: -1, step: 9, version: 'new' }, 400, 'lineage'],
    ['a lineage that is a list', { run: 'r', lineage: [1], step: 9, version: 'new' }, 400, 'lineage'],
    ['no object', 'text', 400, undefined],
  ])('is refused %s', async (_, body, status, field) => {
    const [got, answer] = await post('/v1/versions', body);
    expect([got, answer]).toMatchObject([status, { error: { message: expect.any(String), ...(field && { field }) } }]);
    expect(await rows("select count() n from rollstream.steps final where kind = 'control' and run_id = 'r'")).toEqual([
      { n: 3 },
    ]);
  });

  it.each([
    ['no count', {}, 'count'],
    ['a count of nothing', { count: 0 }, 'count'],
    ['a count as text', { count: '3' }, 'count'],
    ['an environment that is no name', { count: 1, env: '' }, 'env'],
  ])('who starts rollouts is refused %s', async (_, body, field) => {
    expect(await post('/v1/runs/r/admission', body)).toMatchObject([400, { error: { code: 'RS_USAGE', field } }]);
  });

  it('the same announcement again is answered the same', async () => {
    expect(await post('/v1/versions', { run: 'r', step: 1, version: 'amber' })).toMatchObject([200, { ordinal: 1 }]);
    // The number of the first lineage, as delivery answers it, and its name.
    for (const lineage of [0, '0', '', null])
      expect(await post('/v1/versions', { run: 'r', lineage, step: 1, version: 'amber' })).toMatchObject([
        200,
        { lineage: '', ordinal: 1 },
      ]);
  });
});
