import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Recorder } from '../../../clients/typescript/recorder.ts';
import type { TrajectoryJson } from '../../../src/ready/trajectory-json.ts';
import { type RunningCli, startCli } from '../../src/cli/test-io.ts';
import { startTypescript } from '../../start-typescript.ts';

/** What is recorded, after a real server has taken it in. */

const token = 'a-token-of-some-length';
const headers = { authorization: `Bearer ${token}` };
let folder = '';
let server: RunningCli;
let url = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-recorder-'));
  const args = ['up', '--port', '0', '--data', join(folder, 'data')];
  server = startCli(args, { env: { ROLLSTREAM_HTTP_TOKEN: token } });
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true });
});

function recorderOf(runId: string): Recorder {
  return new Recorder({ url, token, runId, envName: 'sums', spoolDir: join(folder, 'spool') });
}

/** So many trajectories of a run, as soon as there are. */
async function ready(runId: string, count: number): Promise<TrajectoryJson[]> {
  for (;;) {
    const response = await fetch(`${url}/v1/ready?run=${runId}&wait_ms=10000`, { headers });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    if (lines.length >= count) return lines.map((line): TrajectoryJson => JSON.parse(line));
  }
}

async function accountingOf(runId: string): Promise<unknown> {
  const response = await fetch(`${url}/v1/accounting?run=${runId}`, { headers });
  const { runs }: { runs: unknown[] } = JSON.parse(await response.text());
  return runs[0];
}

async function isDrained(): Promise<boolean> {
  const response = await fetch(`${url}/v1/import/drained`, { headers });
  return JSON.parse(await response.text()).drained;
}

it('a rollout is ready with the ids, the masks, the logprobs and the versions that were recorded', async () => {
  const recorder = recorderOf('whole');
  const logprobs = Float32Array.of(-0.25, Math.fround(-0.1), Math.fround(-1e-7), -0);
  await recorder.rollout({ taskId: '2+2', rolloutId: 'a', prompt: '2+2?', weightsVersion: 'v1' }, async (r) => {
    const prompt = [151644, 872, 17, 10, 17, 4_294_967_295];
    r.modelCall({
      ...{ promptIds: prompt, completionIds: Uint32Array.of(19, 0, 7, 151645), completionLogprobs: logprobs },
      ...{ logprobsMode: 'raw', finishReason: 'stop', sampling: { temperature: 1, topP: 1 } },
      weightSpans: [
        { start: 0, version: 'v1' },
        { start: 2, version: 'v2' },
      ],
    });
    r.message('user', 'sure?');
    const history = [...prompt, 19, 0, 7, 151645, 872, 30];
    r.modelCall({ promptIds: history, completionIds: [20], completionLogprobs: [-2], finishReason: { type: 'stop' } });
    // The thought is cut from the history: a derived segment.
    r.modelCall({ promptIds: [...prompt, 19, 5], completionIds: [21, 22], completionLogprobs: [-3, -4] });
    r.verdict('sums', { reward: 0.5, scorerVersion: '2', report: { right: 1 } });
    r.end('task_complete', { finalResponse: '4' });
  });
  expect(await recorder.close()).toBe(true);
  expect(recorder.stats()).toMatchObject({ recorded: 7, sent: 7, refused: 0, lost: 0 });
  const [trajectory] = await ready('whole', 1);
  const [f1, f2] = [Math.fround(-0.1), Math.fround(-1e-7)];
  expect(trajectory).toMatchObject({
    ...{ rollout_id: 'a', task_id: '2+2', env_name: 'sums', reward: 0.5, disposition: 'train', category: 'completion' },
    reasons: [{ code: 'task_complete', raw: 'task_complete', system: 'rollstream' }],
    segments: [
      {
        ...{ segment_id: 'main', prompt_len: 6 },
        token_ids: [151644, 872, 17, 10, 17, 4_294_967_295, 19, 0, 7, 151645, 872, 30, 20],
        sampled_mask: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1],
        loss_mask: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1],
        logprobs: [0, 0, 0, 0, 0, 0, -0.25, f1, f2, 0, 0, 0, -2],
        weight_spans: [
          { start: 6, version: 'v1' },
          { start: 8, version: 'v2' },
          // Nobody said.
          { start: 12, version: '' },
        ],
      },
      {
        ...{ segment_id: 'main~1', parent_segment_id: 'main', fork_at: 7 },
        token_ids: [151644, 872, 17, 10, 17, 4_294_967_295, 19, 5, 21, 22],
        sampled_mask: [0, 0, 0, 0, 0, 0, 1, 0, 1, 1],
        // What segments share is in the loss once.
        loss_mask: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1],
        logprobs: [0, 0, 0, 0, 0, 0, -0.25, 0, -3, -4],
      },
    ],
    turns: [{ finish_reason: 'stop' }, { finish_reason: '{"type":"stop"}' }, { finish_reason: null }],
  });
});

it('what a process that was killed had recorded is ready; what it left open is closed, and not trained', async () => {
  const args = [
    '--url',
    url,
    '--spool',
    join(folder, 'spool'),
    '--token',
    token,
    '--calls',
    '3',
    '--verdict',
    '--stay',
  ];
  const children = [args, [...args, '--open']].map((given) =>
    startTypescript('./recording-process.ts', import.meta.url, given),
  );
  for (const child of children) {
    const gone = once(child, 'close');
    await createInterface(child.stdout)[Symbol.asyncIterator]().next();
    child.kill('SIGKILL');
    await gone;
  }
  const recorder = recorderOf('r');
  expect(await recorder.close()).toBe(true);
  expect(recorder.stats()).toMatchObject({ recovered: 11, refused: 0 });
  const [trajectory] = await ready('r', 1);
  expect(trajectory?.segments[0]).toMatchObject({ token_ids: [0, 1, 1, 2, 2, 3], sampled_mask: [0, 1, 0, 1, 0, 1] });
  // Both were there before: it is closed as soon as what said that its producer ended has been read.
  while (!(await isDrained()));
  const rejected = { 'retry:worker_lost': 1 };
  expect(await accountingOf('r')).toMatchObject({ started: 2, ready: 1, rejected, open: 0, balanced: true });
});
