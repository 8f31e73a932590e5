import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, startCli } from '../src/cli/test-io.ts';

/** Two rollouts of a group; the second one's verdict comes when its deadline has decided without it. */
const RUN = 'late';
let folder = '';
let data: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-late-'));
  data = ['--data', join(folder, 'data')];
  const env = { ROLLSTREAM_DEADLINES_VERDICT: '50ms' };
  const server = startCli(['up', '--port', '0', ...data], { env });
  await server.said(/serving at/);
  await take([...rolloutEvents('early'), verdictOf('early', 0), ...rolloutEvents('tardy')]);
  await until(`SELECT count() AS n FROM rollstream.live_decisions WHERE rollout_id = 'tardy'`, 1);
  await take([verdictOf('tardy', 1)]);
  await until(`SELECT count() AS n FROM rollstream.live_verdicts WHERE late`, 1);
  server.interrupt();
  expect(await server.code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const identityOf = (name: string) => ({
  ...{ run_id: RUN, env_name: 'sums', task_id: 'six-times-seven', group_id: 'g', group_size: 2 },
  ...{ rollout_id: name, attempt: 0 },
});

function rolloutEvents(name: string): object[] {
  const call = {
    ...{ call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1, 2], completion_ids: [3, 4] },
    ...{ completion_logprobs: [-0.5, -0.25], weight_spans: [{ start: 0, version: 'step-1' }], finish_reason: 'stop' },
  };
  const contents: object[] = [
    { kind: 'start', start: { prompt: 'What is 6 × 7?', weights_version: 'step-1' } },
    { kind: 'model_call', model_call: call },
    { kind: 'end', end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] } },
  ];
  return contents.map((content, seq) => ({ ...identityOf(name), seq, ...content }));
}

function verdictOf(name: string, reward: number): object {
  const verdict = { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: reward } };
  return { ...identityOf(name), kind: 'verdict', verdict };
}

let files = 0;
async function take(events: readonly object[]): Promise<void> {
  const file = join(folder, `${files++}.jsonl`);
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const { code, stderr } = await cli(['import', file, '--keep-open', ...data]);
  if (code !== 0) throw new Error(stderr);
}

async function rows<T>(sql: string): Promise<T[]> {
  const { code, stdout, stderr } = await cli(['query', sql, '--json', ...data]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** What a lane decides by its deadlines it decides in its own time. */
async function until(sql: string, n: number): Promise<void> {
  while (Number((await rows<{ n: number }>(sql))[0]?.n) !== n);
}

interface Decided {
  readonly rollout_id: string;
  readonly disposition: string;
  readonly why: string;
  readonly reward: number | null;
  readonly advantage: number | null;
}

const decidedIn = (table: string) =>
  rows<Decided>(
    `SELECT rollout_id, disposition, why[1] AS why, reward, advantage FROM rollstream.${table} ORDER BY rollout_id`,
  );

it('a verdict that came too late left its group without a score', async () => {
  expect(await decidedIn('live_decisions')).toEqual([
    { rollout_id: 'early', disposition: 'drop', why: 'group_too_small', reward: 0, advantage: null },
    { rollout_id: 'tardy', disposition: 'quarantine', why: 'reward_missing', reward: null, advantage: null },
  ]);
});

it('a replay that leaves late verdicts out changes nothing', async () => {
  const { code, stdout } = await cli(['replay', '--run', RUN, '--late', 'ignore', '--json', ...data]);
  expect({ code, diff: JSON.parse(stdout).diff }).toMatchObject({
    code: 0,
    diff: { attempts: 2, same: 2, changed: 0 },
  });
});

it('the next replay uses it, and the group trains', async () => {
  const { code, stdout } = await cli(['replay', '--run', RUN, '--save', '--json', ...data]);
  expect({ code, diff: JSON.parse(stdout).diff }).toMatchObject({
    code: 0,
    diff: { attempts: 2, same: 0, changed: 2 },
  });
  // Rewards 0 and 1: mean 0.5, deviation √0.5.
  const advantage = 0.5 / (Math.SQRT1_2 + 1e-6);
  expect(await decidedIn('latest_decisions')).toEqual([
    {
      rollout_id: 'early',
      disposition: 'train',
      why: 'task_complete',
      reward: 0,
      advantage: expect.closeTo(-advantage),
    },
    {
      rollout_id: 'tardy',
      disposition: 'train',
      why: 'task_complete',
      reward: 1,
      advantage: expect.closeTo(advantage),
    },
  ]);
});

it('what was decided live is still there, and named as superseded by what another verdict scored', async () => {
  const superseded = await rows<{ rollout_id: string; supersedes: string | null; was: string; is: string }>(
    `SELECT l.rollout_id AS rollout_id, n.supersedes AS supersedes, l.score_id AS was, n.score_id AS is
    FROM rollstream.live_decisions AS l INNER JOIN rollstream.latest_decisions AS n ON n.rollout_id = l.rollout_id
    ORDER BY rollout_id`,
  );
  const [early, tardy] = superseded;
  // By the same scorer and documents: the same score, whatever became of its group.
  expect(early).toEqual({ rollout_id: 'early', supersedes: null, was: early?.is, is: early?.was });
  expect(tardy).toEqual({
    rollout_id: 'tardy',
    supersedes: tardy?.was,
    was: expect.any(String),
    is: expect.any(String),
  });
  expect(tardy?.is).not.toBe(tardy?.was);
});
