import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { createWire, generated, reset, step, wholeEpisode } from '../src/ingest/importers/a2e-wire.ts';
import { jsonLines } from './json-lines.ts';
import { told } from './told.ts';

let folder = '';
let data = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-a2e-'));
  data = join(folder, 'data');
  const file = join(folder, 'wire.ndjson');
  // What the model wrote is in the dialect of Qwen; what the agent sent to the environment is the same call.
  const called = createWire();
  reset(called, 20, 'called');
  const text = '<tool_call>\n{"name": "buy", "arguments": {"item": "tea"}}\n</tool_call>';
  called.lines.push(generated('called', 21, { id: 'c1', prompt: [1, 2], ids: [3, 4], logprobs: [-1, -2], text }));
  step(called, 22, 'called', { action_type: 'buy', payload: { item: 'tea' } }, { done: true, reward: 0.5 });
  const bare = createWire();
  reset(bare, 30, 'bare');
  step(bare, 31, 'bare', { action_type: 'look', payload: {} }, { done: true, reward: 1 });
  const lines = [...wholeEpisode('whole'), ...renamed(called.lines, 'c'), ...renamed(bare.lines, 'b')];
  await writeFile(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  await told(['import', file, '--data', data, '--run', 'shop', '--json']);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function renamed(lines: readonly object[], prefix: string): object[] {
  return lines.map((line) => JSON.parse(JSON.stringify(line).replace(/"(id|req_id)":"m/g, `"$1":"${prefix}m`)));
}

it('an episode with its recorded calls trains on the ids that were sampled, by what its environment gave', async () => {
  const ready = jsonLines<TrajectoryJson>(await told(['ready', '--data', data, '--json']));
  const whole = ready.find(({ rollout_id }) => rollout_id === 'whole');
  expect(whole).toMatchObject({ disposition: 'train', reward: 1, reward_valid: true, in_loss: true });
  expect(whole?.segments).toMatchObject([
    {
      token_ids: [9, 17, 10, 19, 99, 40, 41, 21, 22, 99],
      sampled_mask: [0, 0, 0, 1, 1, 0, 0, 1, 1, 1],
      loss_mask: [0, 0, 0, 1, 1, 0, 0, 1, 1, 1],
      logprobs: [0, 0, 0, -0.5, -0.25, 0, 0, -1, -0.125, 0],
      weight_spans: [
        { start: 3, version: '8' },
        { start: 8, version: '9' },
      ],
    },
  ]);
  expect(whole?.reasons).toMatchObject([{ raw: 'done', system: 'a2e', code: 'task_complete' }]);
  // The call that the agent made is the call that the model wrote: nothing accuses it.
  const called = ready.find(({ rollout_id }) => rollout_id === 'called');
  expect(called).toMatchObject({ disposition: 'train', reward: 0.5, audit: { tools: 'pass' } });
});

it('an episode without recorded calls is kept, and not trained on', async () => {
  const sql = 'SELECT rollout_id, disposition, why FROM rollstream.decisions ORDER BY rollout_id';
  const rows = jsonLines(await told(['query', sql, '--data', data, '--format', 'jsonl']));
  expect(rows[0]).toMatchObject({ rollout_id: 'bare', why: ['no_tokens', 'task_complete'] });
  expect(rows).toHaveLength(3);
});
