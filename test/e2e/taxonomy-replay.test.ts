import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { cli, type RunningCli, startCli } from '../src/cli/test-io.ts';

/** A loop says why it ended in a word that no taxonomy knows; then one learns it. */
const RUN = 'new-loop';
const GROUPS = 3;
let folder = '';
let data: string[] = [];
let taxonomy = '';
let server: RunningCli;
let url = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-taxonomy-'));
  data = ['--data', join(folder, 'data')];
  taxonomy = join(folder, 'taxonomy.yaml');
  const known = 'rollstream: [task_complete, completed]';
  const shipped = readFileSync(packageFile('processors', 'taxonomy', 'taxonomy.yaml'), 'utf8');
  expect(shipped.split(known)).toHaveLength(2);
  writeFileSync(taxonomy, shipped.replace(known, `${known}\n      my-loop: [all_done]`));
  server = startCli(['up', '--port', '0', ...data]);
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
  const file = join(folder, 'steps.jsonl');
  writeFileSync(file, groupLines());
  expect((await cli(['import', file, ...data])).code).toBe(0);
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true, force: true });
});

/** Groups of two: the first member is right, the second wrong. */
function groupLines(): string {
  const lines: object[] = [];
  for (let group = 0; group < GROUPS; group++)
    for (let member = 0; member < 2; member++) {
      const identity = {
        ...{ run_id: RUN, env_name: 'sums', task_id: `task-${group}`, group_id: `g${group}`, group_size: 2 },
        ...{ rollout_id: `g${group}_${member}`, attempt: 0 },
      };
      const call = {
        ...{ call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1, 2], completion_ids: [3, 4 + member] },
        ...{
          completion_logprobs: [-0.5, -0.25],
          weight_spans: [{ start: 0, version: 'step-1' }],
          finish_reason: 'stop',
        },
      };
      const verdict = { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: 1 - member } };
      lines.push(
        { ...identity, seq: 0, kind: 'start', start: { prompt: 'What is 6 × 7?', weights_version: 'step-1' } },
        { ...identity, seq: 1, kind: 'model_call', model_call: call },
        { ...identity, seq: 2, kind: 'end', end: { reasons: [{ raw: 'all_done', system: 'my-loop' }] } },
        { ...identity, kind: 'verdict', verdict },
      );
    }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function json<T>(...argv: string[]): Promise<T> {
  const { code, stdout, stderr } = await cli([...argv, '--json', ...data]);
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return JSON.parse(stdout);
}

interface Leased {
  readonly lease: string | null;
  readonly trajectories?: ReadonlyArray<{
    readonly rollout_id: string;
    readonly reward: number | null;
    readonly advantage: number | null;
    readonly category: string;
    readonly supersedes: string | null;
  }>;
}

async function lease(index: number): Promise<Leased> {
  const body = JSON.stringify({ run: RUN, consumer: 't', batch_index: index, count: 100 });
  return JSON.parse(await (await fetch(`${url}/v1/leases`, { method: 'POST', body })).text());
}

it('a reason that nobody knows is quarantined, told as what to map next, and never delivered', async () => {
  const found = await json<unknown[]>('query', '--named', 'unknown_reasons');
  expect(JSON.stringify(found)).toContain('all_done');
  const decided = `SELECT disposition, reason_code, count() AS n FROM rollstream.live_decisions GROUP BY ALL`;
  expect(await json('query', decided)).toEqual([{ disposition: 'quarantine', reason_code: 'unknown', n: 2 * GROUPS }]);
  expect((await lease(0)).lease).toBe(null);
});

it('a replay under a taxonomy that knows it makes them ready, and they are delivered, each once', async () => {
  const replayed = await json<{ diff: object; emitted: object }>(
    ...['replay', '--run', RUN, '--taxonomy', taxonomy, '--save', '--emit', '--label', 'all_done is a completion'],
  );
  expect(replayed).toMatchObject({
    diff: {
      ...{ attempts: 2 * GROUPS, changed: 2 * GROUPS },
      reasons: [{ from: 'unknown', to: 'task_complete', n: 2 * GROUPS }],
      dispositions: [{ from: 'quarantine', to: 'train', n: 2 * GROUPS }],
    },
    emitted: { units: GROUPS, trajectories: 2 * GROUPS, left_out: {} },
  });
  // Rewards 1 and 0: mean 0.5, deviation √0.5.
  const advantage = 0.5 / (Math.SQRT1_2 + 1e-6);
  const { trajectories = [] } = await untilLeased();
  expect(trajectories.map(({ rollout_id, reward, category }) => [rollout_id, reward, category])).toEqual(
    Array.from({ length: 2 * GROUPS }, (_, n) => [`g${Math.floor(n / 2)}_${n % 2}`, 1 - (n % 2), 'completion']),
  );
  for (const one of trajectories) {
    expect(one.advantage).toBeCloseTo(one.reward === 1 ? advantage : -advantage);
    expect(one.supersedes).toEqual(expect.any(String));
  }
  expect((await lease(1000)).lease).toBe(null);
});

/** The index of what is ready follows the topic. */
async function untilLeased(): Promise<Leased> {
  for (let index = 1; ; index++) {
    const leased = await lease(index);
    if (leased.lease !== null) return leased;
  }
}

it('the books balance: what was decided live is rejected, what was emitted again is delivered', async () => {
  const { runs } = await json<{ runs: object[] }>('accounting');
  expect(runs).toMatchObject([{ run_id: RUN, started: 2 * GROUPS, ready: 0, balanced: true }]);
  const versions = `SELECT version_id = '' AS live, disposition, count() AS n FROM rollstream.latest_decisions GROUP BY ALL`;
  expect(await json('query', versions)).toMatchObject([{ disposition: 'train', n: 2 * GROUPS }]);
});
