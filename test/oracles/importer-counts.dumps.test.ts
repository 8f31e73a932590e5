import { expect, test } from 'vitest';
import { createRandom } from '../../examples/generate/random.ts';
import { nemoRl } from '../../src/ingest/importers/nemo-rl.ts';
import { skyrl } from '../../src/ingest/importers/skyrl.ts';
import { slime } from '../../src/ingest/importers/slime.ts';
import { findPython } from '../python-with.ts';
import { countedBy, countsOf } from './wire-counts.ts';

const python = (await findPython()) ?? 'python3';
const random = createRandom('dumps');

/** Masks with runs of every kind: beginning and ending with either, all zeros, all ones, none at all. */
const masks = Array.from({ length: 40 }, (_, n) =>
  Array.from({ length: n % 9 }, () => (random() < 0.5 ? 0 : 1)),
).concat([[], [0, 0], [1, 1], [1, 0], [0, 1]]);

test('slime: calls by the runs of the mask, rewards by name', async () => {
  const rewards = [1, 0, null, { a: 0.5, b: null, c: 'x' }];
  const samples = masks.map((loss_mask, i) => ({
    index: i,
    group_index: i >> 2,
    tokens: [7, 8, ...loss_mask],
    response: 'r',
    response_length: loss_mask.length,
    loss_mask: i % 5 === 0 ? null : loss_mask,
    reward: rewards[i % 4],
    status: 'completed',
  }));
  const lines = [...samples.slice(0, 20), { rollout_id: 1, samples: samples.slice(20) }];
  const counted = await countedBy(python, 'dumps_counts.py', lines);
  expect(counted.rollouts).toBe(45);
  expect(await countsOf(slime, lines)).toEqual(counted);
});

test('SkyRL: a batch and rows', async () => {
  const row = (loss_masks: number[], i: number) => ({
    prompt_token_ids: [1, 2],
    response_ids: loss_masks,
    loss_masks,
    rewards: i % 3 === 0 ? loss_masks.map((one) => one / 4) : i / 8,
    stop_reasons: 'stop',
  });
  const rows = masks.map(row);
  const columns = ['prompt_token_ids', 'response_ids', 'loss_masks', 'rewards', 'stop_reasons'] as const;
  const batch = Object.fromEntries(columns.map((column) => [column, rows.map((each) => each[column])]));
  const lines = [...rows, batch];
  const counted = await countedBy(python, 'dumps_counts.py', lines);
  expect(counted.rollouts).toBe(90);
  expect(await countsOf(skyrl, lines)).toEqual(counted);
});

test('NeMo-RL: sequences with padding behind them', async () => {
  const lines = masks.map((mask, i) => ({
    token_ids: [[5, ...mask, 0, 0]],
    token_loss_mask: [[0, ...mask, 0, 0]],
    input_lengths: [mask.length + 1],
    rewards: [i % 4 === 0 ? null : i / 8],
  }));
  const counted = await countedBy(python, 'dumps_counts.py', lines);
  expect(counted.rollouts).toBe(45);
  expect(await countsOf(nemoRl, lines)).toEqual(counted);
});
