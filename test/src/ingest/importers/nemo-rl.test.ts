import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { nemoRl } from '../../../../src/ingest/importers/nemo-rl.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, only, refusalOf } from './imported.ts';

/** Five tokens and two of padding, as the logger writes it: each value in a list by itself. */
function row(change: object = {}): object {
  return {
    agent_ref: [{ type: 'responses_api_agents', name: 'math' }],
    content: [['2+2?', '4']],
    rewards: [1],
    input_lengths: [5],
    token_ids: [[1, 2, 101, 102, 3, 0, 0]],
    token_loss_mask: [[0, 0, 1, 1, 0, 0, 0]],
    sample_loss_mask: [1],
    advantages: [Array(7).fill(0.5)],
    generation_logprobs: [[0, 0, -0.5, -0.25, 0, 0, 0]],
    prev_logprobs: [[0, 0, -0.5, -0.125, 0, 0, 0]],
    idx: 3,
    ...change,
  };
}

const callsOf = (events: readonly StepEvent[]) =>
  only(events, 'model_call').map(({ model_call: call }) => [
    call?.prompt_prefix_len,
    idsOf(call?.prompt_delta_ids),
    idsOf(call?.completion_ids),
    floatsOf(call?.completion_logprobs),
  ]);

const CALLS = [
  [0, [1, 2], [101, 102], [-0.5, -0.25]],
  [4, [3], [], []],
];

describe('a row', () => {
  test('is cut where the mask changes; padding is no token of it', async () => {
    const events = await eventsOf(nemoRl, [row()]);
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'model_call', 'model_call', 'verdict', 'end']);
    expect(callsOf(events)).toEqual(CALLS);
    expect(events[0]).toMatchObject({ env_name: 'math', group_id: null, rollout_id: expect.stringMatching(/\.0$/) });
    expect(JSON.parse(events[0]?.extra_json ?? '')).toEqual({
      content: ['2+2?', '4'],
      padding: { token_id: 0, count: 2 },
    });
    const [verdict, end] = events.slice(-2);
    expect(end?.end?.reasons.map(({ raw, system }) => [raw, system])).toEqual([['', 'nemo-rl']]);
    expect(verdict?.verdict).toMatchObject({ status: 'scored', rewards: { reward: 1 } });
  });

  test('without the lists of one it is the same', async () => {
    const plain = Object.fromEntries(
      Object.entries(row()).map(([key, value]) => [key, Array.isArray(value) ? value[0] : value]),
    );
    expect(callsOf(await eventsOf(nemoRl, [plain]))).toEqual(CALLS);
  });

  test('the trainer’s own numbers are kept: one that is the same all over as it is, others by place and hash', async () => {
    const many = (of: (i: number) => number) => [Array.from({ length: 20 }, (_, i) => of(i))];
    const long = row({
      token_ids: many((i) => i),
      token_loss_mask: many((i) => (i < 2 ? 0 : 1)),
      input_lengths: [20],
      advantages: many(() => -0.75),
      generation_logprobs: many(() => -1),
      prev_logprobs: many((i) => -i),
    });
    const [end] = only(await eventsOf(nemoRl, [long]), 'end');
    expect(JSON.parse(end?.extra_json ?? '').trainer).toEqual({
      advantages: { all: -0.75, count: 20 },
      prev_logprobs: {
        uri: 'results.jsonl:1#prev_logprobs[0]',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        of: 'float64',
        count: 20,
      },
    });
  });

  test('cut off, or left out of the loss: both are reasons, and neither hides the other', async () => {
    const reasonsOf = async (change: object) => {
      const [end] = only(await eventsOf(nemoRl, [row(change)]), 'end');
      return end?.end?.reasons.map(({ raw, detail }) => [raw, detail]);
    };
    expect(await reasonsOf({ truncated: [true] })).toEqual([['truncated', 'truncated: true']]);
    expect(await reasonsOf({ truncated: [0] })).toEqual([['', 'truncated: 0']]);
    expect(await reasonsOf({ truncated: [true], sample_loss_mask: [0] })).toEqual([
      ['truncated', 'truncated: true'],
      ['sample_loss_mask', null],
    ]);
  });

  test('null is not 0', async () => {
    const [verdict] = only(await eventsOf(nemoRl, [row({ rewards: [null] })]), 'verdict');
    expect(verdict?.verdict).toMatchObject({ status: 'missing', rewards: { reward: null } });
  });
});

test.each([
  ['token_loss_mask[0]', { token_loss_mask: [[1]] }, '1 value for 7 token_ids'],
  ['token_loss_mask[0][6]', { token_loss_mask: [[0, 0, 1, 1, 0, 0, 1]] }, 'expected 0 in the padding, got 1'],
  ['generation_logprobs[0]', { generation_logprobs: [[0]] }, '1 value for 7 token_ids'],
  ['input_lengths[0]', { input_lengths: [8] }, 'expected a number of tokens, at most 7, got 8'],
  ['rewards', { rewards: [1, 2] }, '2 values for 1 token_ids'],
  ['rewards[0]', { rewards: ['x'] }, 'expected a number or null, got "x"'],
  ['sample_loss_mask[0]', { sample_loss_mask: [-1] }, 'expected a number of 0 or more, got -1'],
])('%s is refused', async (field, change, message) => {
  expect(await refusalOf(nemoRl, row(change))).toMatchObject({ field, message: `${field}: ${message}` });
});

test('no value of a row is dropped', () => {
  const records = [JSON.parse(JSON.stringify(row({ filtered_rewards: [0.5], truncated: [false], later: { a: 'b' } })))];
  const mapping = explainMapping(nemoRl, records, CONTEXT);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
});

test('rows are known by what they hold; equal ones are told apart by their number, and read again are the same', async () => {
  expect(detectFormat([JSON.parse(JSON.stringify(row()))], '')?.importer.name).toBe('nemo-rl');
  const twice = await eventsOf(nemoRl, [row(), row()]);
  expect(new Set(only(twice, 'start').map(({ rollout_id }) => rollout_id.slice(-2)))).toEqual(new Set(['.0', '.1']));
  expect(await eventsOf(nemoRl, [row(), row()])).toEqual(twice);
});
