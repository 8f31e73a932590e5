import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { skyrl } from '../../../../src/ingest/importers/skyrl.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, imported, only, refusalOf, sha256 } from './imported.ts';

const id = (repetition_id: number, instance_id: string | number = 'i-1') => ({ instance_id, repetition_id });

/** Two trajectories of one instance: one with a tool in the middle, one that is all of one piece. */
function batch(change: object = {}): object {
  return {
    prompt_token_ids: [
      [1, 2],
      [1, 2],
    ],
    response_ids: [[101, 55, 102], [103]],
    rewards: [0.5, 0],
    loss_masks: [[1, 0, 1], [1]],
    stop_reasons: ['complete', 'length'],
    rollout_metrics: { 'generate/avg': 2 },
    rollout_logprobs: [[-0.5, 0, -0.25], [-1.5]],
    trajectory_ids: [id(0), id(1)],
    trajectory_generation_times: [2.5, 1.5],
    trajectory_time_splits: { llm: [2, 1], env: [0.5, 0] },
    rollout_expert_indices: null,
    is_last_step: null,
    env_metrics: [{ a: 1 }, {}],
    ...change,
  };
}

function row(change: object = {}): object {
  return {
    prompt_token_ids: [1, 2],
    response_ids: [101, 55, 102],
    rewards: 0.5,
    loss_masks: [1, 0, 1],
    stop_reasons: 'complete',
    rollout_logprobs: [-0.5, 0, -0.25],
    trajectory_ids: id(0),
    ...change,
  };
}

/** A step whose prompt is all that was before it, and a tool's answer behind what it sampled. */
const stepRow = (prompt: number[], response: number[], mask: number[], is_last_step: boolean, rewards = 0) =>
  row({
    prompt_token_ids: prompt,
    response_ids: response,
    loss_masks: mask,
    rollout_logprobs: mask.map((one) => -one / 2),
    is_last_step,
    rewards,
  });

const callsOf = (events: readonly StepEvent[]) =>
  only(events, 'model_call').map(({ model_call: call }) => [
    call?.prompt_prefix_len,
    idsOf(call?.prompt_delta_ids),
    idsOf(call?.completion_ids),
    floatsOf(call?.completion_logprobs),
  ]);

describe('a batch of parallel arrays', () => {
  test('each row is a rollout of its instance', async () => {
    const events = await eventsOf(skyrl, [batch()]);
    const hash = sha256(JSON.stringify(batch())).slice(0, 12);
    expect(only(events, 'start').map(({ rollout_id, group_id, task_id }) => [rollout_id, group_id, task_id])).toEqual([
      [`i-1/0.${hash}.0`, `i-1.${hash}`, 'i-1'],
      [`i-1/1.${hash}.1`, `i-1.${hash}`, 'i-1'],
    ]);
    expect(callsOf(events)).toEqual([
      [0, [1, 2], [101], [-0.5]],
      [3, [55], [102], [-0.25]],
      [0, [1, 2], [103], [-1.5]],
    ]);
    expect(only(events, 'end').map(({ end }) => end?.reasons.map(({ raw, system }) => [raw, system]))).toEqual([
      [['complete', 'skyrl']],
      [['length', 'skyrl']],
    ]);
    expect(only(events, 'phase').map(({ phase, duration_us }) => [phase?.phase, duration_us])).toEqual([
      ['model', 2_000_000],
      ['tool_wait', 500_000],
      ['model', 1_000_000],
      ['tool_wait', 0],
    ]);
    expect(only(events, 'verdict').map(({ verdict }) => verdict?.rewards)).toEqual([{ reward: 0.5 }, { reward: 0 }]);
    expect(events[0]?.extra_json).toBe('{"batch":{"rollout_metrics":{"generate/avg":2}}}');
  });

  test.each([
    ['rewards', { rewards: [1] }],
    ['loss_masks', { loss_masks: [[1]] }],
    ['stop_reasons', { stop_reasons: ['complete'] }],
    ['rollout_logprobs', { rollout_logprobs: [[0]] }],
    ['trajectory_ids', { trajectory_ids: [id(0)] }],
    ['prompt_token_ids', { prompt_token_ids: [[1]] }],
    ['trajectory_time_splits.llm', { trajectory_time_splits: { llm: [1] } }],
  ])('%s of another length is refused', async (field, change) => {
    const message = `${field}: 1 value for 2 response_ids`;
    expect(await refusalOf(skyrl, batch(change))).toMatchObject({ field, message });
  });

  test('one that is empty has no rollouts', async () => {
    const empty = { prompt_token_ids: [], response_ids: [], rewards: [], loss_masks: [] };
    expect(await eventsOf(skyrl, [empty])).toEqual([]);
  });
});

describe('a row a line', () => {
  test('names in the singular are the same', async () => {
    const { rewards, loss_masks, stop_reasons, trajectory_ids, ...rest } = batchOf(row());
    const singular = {
      ...rest,
      reward: rewards,
      loss_mask: loss_masks,
      stop_reason: stop_reasons,
      trajectory_id: trajectory_ids,
    };
    const [a, b] = [await eventsOf(skyrl, [row()]), await eventsOf(skyrl, [singular])];
    expect(callsOf(b)).toEqual(callsOf(a));
    expect(only(b, 'start')[0]).toMatchObject({ group_id: 'i-1', task_id: 'i-1' });
    expect(only(b, 'verdict')[0]?.verdict?.rewards).toEqual({ reward: 0.5 });
  });

  test('without a trajectory a rollout is its line', async () => {
    const [start] = await eventsOf(skyrl, [row({ trajectory_ids: null })]);
    expect(start).toMatchObject({ group_id: null, rollout_id: expect.stringMatching(/^[0-9a-f]{64}\.0$/) });
  });

  test('no stop reason is an empty one', async () => {
    const [end] = only(await eventsOf(skyrl, [row({ stop_reasons: null })]), 'end');
    expect(end?.end?.reasons[0]?.raw).toBe('');
  });

  test('a mask of zeros claims that nothing was sampled: no token is made one', async () => {
    expect(callsOf(await eventsOf(skyrl, [row({ loss_masks: [0, 0, 0] })]))).toEqual([
      [0, [1, 2, 101, 55, 102], [], []],
    ]);
  });
});

function batchOf(value: object): Record<string, unknown> {
  return { ...value };
}

describe('steps of one trajectory', () => {
  const steps = [stepRow([1, 2], [101, 55], [1, 0], false), stepRow([1, 2, 101, 55], [102], [1], true, 1)];

  test('are one rollout: only what is new to a prompt travels, and the last reward counts', async () => {
    const events = await eventsOf(skyrl, steps);
    expect(only(events, 'start')).toHaveLength(1);
    expect(callsOf(events)).toEqual([
      [0, [1, 2], [101], [-0.5]],
      [3, [55], [102], [-0.5]],
    ]);
    expect(only(events, 'verdict').map(({ verdict }) => verdict?.rewards)).toEqual([{ reward: 1 }]);
    expect(JSON.parse(only(events, 'model_call')[0]?.extra_json ?? '')).toEqual({
      step: { reward: 0, stop_reason: 'complete' },
    });
  });

  test('are the same within a batch, and when lines of others lie between them', async () => {
    const other = row({ trajectory_ids: id(1) });
    const [first, last] = steps;
    const between = await eventsOf(skyrl, [first, other, last]);
    expect(only(between, 'start').map(({ rollout_id }) => rollout_id.slice(0, 5))).toEqual(['i-1/1', 'i-1/0']);
    const together = batch({
      prompt_token_ids: [
        [1, 2],
        [1, 2, 101, 55],
      ],
      response_ids: [[101, 55], [102]],
      loss_masks: [[1, 0], [1]],
      rollout_logprobs: [[-0.5, 0], [-0.5]],
      trajectory_ids: [id(0), id(0)],
      is_last_step: [false, true],
    });
    expect(callsOf(await eventsOf(skyrl, [together]))).toEqual(callsOf(await eventsOf(skyrl, steps)));
  });

  test('a history that was rewritten keeps what was behind the step, and says how much is held still', async () => {
    const rewritten = stepRow([1, 9, 101], [102], [1], true);
    expect(callsOf(await eventsOf(skyrl, [steps[0] ?? {}, rewritten]))).toEqual([
      [0, [1, 2], [101], [-0.5]],
      [3, [55], [], []],
      [1, [9, 101], [102], [-0.5]],
    ]);
  });

  test('a trajectory whose last step never came has no end: nobody knows how it went', async () => {
    const events = await eventsOf(skyrl, [steps[0] ?? {}]);
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'model_call', 'model_call']);
  });

  test('what is wrong with a step is said of its own line', async () => {
    const bad = stepRow([1], [101], [3], false);
    const all = await imported(skyrl, [bad, steps[1]].map((line) => JSON.stringify(line)).join('\n'));
    expect(all.map((taken) => ('refused' in taken ? taken.refused.field : taken.events.length))).toEqual([
      'loss_masks[0]',
      4,
    ]);
  });
});

describe('rewards of tokens', () => {
  test('SkyRL takes their sum; where they stand is kept', async () => {
    const [verdict] = only(await eventsOf(skyrl, [row({ rewards: [0, 0.25, 0.5] })]), 'verdict');
    expect(verdict?.verdict).toMatchObject({ status: 'scored', rewards: { reward: 0.75 } });
    expect(verdict?.verdict?.report_json).toBe('{"token_rewards":{"count":3,"not_zero":[[1,0.25],[2,0.5]]}}');
  });

  test('one that is missing makes the sum missing', async () => {
    const [verdict] = only(await eventsOf(skyrl, [row({ rewards: [0, null, 1] })]), 'verdict');
    expect(verdict?.verdict?.rewards).toEqual({ reward: null });
  });

  test('null is not 0', async () => {
    const [verdict] = only(await eventsOf(skyrl, [row({ rewards: null })]), 'verdict');
    expect(verdict?.verdict).toMatchObject({ status: 'missing', rewards: { reward: null } });
  });
});

test.each([
  ['loss_masks', { loss_masks: [1] }, '1 value for 3 response_ids'],
  ['loss_masks', { loss_masks: null }, 'expected an array, got null'],
  ['rewards', { rewards: 'x' }, 'expected a number or null, got "x"'],
  ['trajectory_ids.repetition_id', { trajectory_ids: { instance_id: 'a' } }, 'expected an id, got nothing'],
  ['reward', { reward: 1 }, 'expected reward or rewards, got both'],
  ['is_last_step', { is_last_step: 1 }, 'expected true or false, got 1'],
])('%s of a row is refused', async (field, change, message) => {
  expect(await refusalOf(skyrl, row(change))).toMatchObject({ field, message: `${field}: ${message}` });
});

test.each([
  ['a batch', [batch({ later: { added: 'field' } })]],
  ['a row', [row({ later: { added: 'field' }, env_metrics: { a: 'b' }, rollout_expert_indices: [[1]] })]],
  ['steps', [stepRow([1, 2], [101, 55], [1, 0], false), stepRow([1, 2, 101, 55], [102], [1], true)]],
])('no value of %s is dropped', (_, records) => {
  const mapping = explainMapping(skyrl, JSON.parse(JSON.stringify(records)), CONTEXT);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
});

test('both are known by what they hold, and read again give the same events', async () => {
  for (const record of [row(), batch()]) {
    expect(detectFormat([JSON.parse(JSON.stringify(record))], '')?.importer.name).toBe('skyrl');
    expect(await eventsOf(skyrl, [record])).toEqual(await eventsOf(skyrl, [record]));
  }
});
