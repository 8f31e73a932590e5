import { expect, test } from 'vitest';
import { verifiersV1 } from '../../../../src/ingest/importers/verifiers-v1.ts';
import { numbersOf } from '../../../processors/events.ts';
import { createTestLane, type TestLane } from '../../../processors/harness.ts';
import { eventsOf, idsOf, only } from './imported.ts';
import { assistant, episode, lineOfNodes, node, trace, user } from './verifiers-v1-lines.ts';

const withNodes = (nodes: readonly object[], more: object = {}) =>
  episode({ group: null, traces: [trace({ nodes, calls: [], ...more })] });

/** What the pipeline makes of the events of one line. */
async function assembled(line: object): Promise<ReturnType<TestLane['effects']>> {
  const lane = createTestLane();
  lane.fold(...(await eventsOf(verifiersV1, [line])));
  return lane.effects();
}

async function segmentsOf(line: object) {
  const [trajectory] = (await assembled(line)).rows.trajectories;
  return trajectory?.trajectory.segments.map((segment) => ({
    id: segment.segment_id,
    parent: segment.parent_segment_id,
    at: segment.fork_at,
    ids: numbersOf(segment.token_ids, 'uint32'),
    sampled: numbersOf(segment.sampled_mask, 'mask')?.join(''),
    loss: numbersOf(segment.loss_mask, 'mask')?.join(''),
    logprobs: numbersOf(segment.logprobs, 'float32'),
  }));
}

/** 0 system, 1 user, 2 call, 3 tool, 4 call; 5 leaves at the tool, 7 at the system prompt with a token in common. */
const branched = [
  ...lineOfNodes(),
  node(3, user('again'), [9]),
  node(5, assistant('no'), [5, 16], 1),
  node(0, user('in short'), [3, 8]),
  node(7, assistant('42'), [5, 15], 1),
];

test('each branch is a segment, and what it shares with one before it is in the loss once', async () => {
  expect(await segmentsOf(withNodes(branched))).toEqual([
    {
      id: 'main',
      parent: null,
      at: null,
      ids: [1, 2, 3, 4, 5, 10, 11, 6, 7, 5, 12, 13, 14],
      sampled: '0000011000111',
      loss: '0000011000111',
      logprobs: [0, 0, 0, 0, 0, -10 / 64, -11 / 64, 0, 0, 0, -12 / 64, -13 / 64, -14 / 64],
    },
    {
      id: 'main~1',
      parent: 'main',
      at: 9,
      ids: [1, 2, 3, 4, 5, 10, 11, 6, 7, 9, 5, 16],
      sampled: '000001100001',
      loss: '000000000001',
      logprobs: [0, 0, 0, 0, 0, -10 / 64, -11 / 64, 0, 0, 0, 0, -16 / 64],
    },
    {
      id: 'main~2',
      parent: 'main~1',
      at: 3,
      ids: [1, 2, 3, 8, 5, 15],
      sampled: '000001',
      loss: '000001',
      logprobs: [0, 0, 0, 0, 0, -15 / 64],
    },
  ]);
});

test('the graph is told where its order does not tell it', async () => {
  const events = await eventsOf(verifiersV1, [withNodes(branched)]);
  const extras = events.map(({ extra_json }) => JSON.parse(extra_json ?? '{}'));
  expect(extras.flatMap(({ node: index, parent }) => (index === undefined ? [] : [[index, parent]]))).toEqual([
    [0, undefined],
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 3],
    [6, 5],
    [7, 0],
    [8, 7],
  ]);
});

test('branches whose calls took turns are two segments, not one for each change', async () => {
  const nodes = [
    node(null, user('a'), [1]),
    node(0, assistant('b'), [2, 20], 1),
    node(0, assistant('c'), [2, 30], 1),
    node(1, user('d'), [3]),
    node(2, user('e'), [4]),
    node(3, assistant('f'), [5, 21], 1),
    node(4, assistant('g'), [5, 31], 1),
  ];
  expect((await segmentsOf(withNodes(nodes)))?.map(({ id, ids, loss }) => [id, ids, loss])).toEqual([
    ['main', [1, 2, 20, 3, 5, 21], '001001'],
    ['main~1', [1, 2, 30, 4, 5, 31], '001001'],
  ]);
});

test('a given message with the very tokens that were sampled elsewhere is given', async () => {
  const nodes = [
    node(null, user('a'), [1]),
    node(0, assistant('b'), [2, 20], 1),
    node(0, assistant('b'), [2, 20]),
    node(2, user('c'), [3]),
    node(3, assistant('d'), [4, 40], 1),
  ];
  const [, second] = (await segmentsOf(withNodes(nodes))) ?? [];
  expect(second).toMatchObject({ ids: [1, 2, 20, 3, 4, 40], sampled: '000001', at: 2 });
});

test('a tree of its own (a sub-agent, a history begun anew) is a segment of its own', async () => {
  const nodes = [
    ...lineOfNodes(),
    node(null, { role: 'system', content: 'You count.' }, [1, 2, 20]),
    node(5, assistant('1'), [21, 22], 1),
  ];
  const segments = await segmentsOf(withNodes(nodes));
  expect(segments?.map(({ id, parent, ids }) => [id, parent, ids?.length])).toEqual([
    ['main', null, 13],
    ['root-5', null, 5],
  ]);
  expect(segments?.[1]).toMatchObject({ ids: [1, 2, 20, 21, 22], sampled: '00001', loss: '00001' });
});

test('tokens after the last call of a branch are kept beside its last message', async () => {
  const nodes = [...lineOfNodes(), node(4, user('thanks'), [8, 9])];
  const events = await eventsOf(verifiersV1, [withNodes(nodes)]);
  expect(JSON.parse(only(events, 'message').at(-1)?.extra_json ?? '')).toMatchObject({ unsent_token_ids: [8, 9] });
});

test('what the template puts after an answer goes with the next prompt', async () => {
  const nodes = [
    node(null, user('a'), [1]),
    node(0, assistant('b'), [2, 20, 7], 1, { mask: [false, true, false], logprobs: [-0.5] }),
    node(1, user('c'), [3]),
    node(2, assistant('d'), [4, 40], 1),
  ];
  const [, second] = only(await eventsOf(verifiersV1, [withNodes(nodes)]), 'model_call');
  expect(second?.model_call?.prompt_prefix_len).toBe(3);
  expect(idsOf(second?.model_call?.prompt_delta_ids)).toEqual([7, 3, 4]);
});

test('agents are rollouts of their own: what is not the policy’s is not trained, and their rewards are of no one group', async () => {
  const solver = trace({ id: 's', agent: { name: 'solver', trainable: true } });
  const judge = trace({ id: 'j', agent: { name: 'judge', trainable: false }, task: undefined });
  const events = await eventsOf(verifiersV1, [episode({ traces: [solver, judge] })]);
  const starts = only(events, 'start');
  expect(
    starts.map(({ rollout_id, group_id, purpose, task_id, start }) => [
      rollout_id,
      group_id,
      purpose,
      task_id,
      start?.weights_version,
    ]),
  ).toEqual([
    ['s', 'group-9/solver', 'train', 'task-3', '11'],
    ['j', 'group-9/judge', 'eval', 'task-3', null],
  ]);
  expect(only(events, 'model_call').at(-1)?.model_call?.weight_spans).toEqual([]);
});

test('an evaluation between training steps is none of the training, unless the user says so', async () => {
  const run = { type: 'train', id: 'r', work: { type: 'eval', step: 3, policy: { start: 4, end: 6 } } };
  const [first] = await eventsOf(verifiersV1, [episode({ run })]);
  // Three versions sampled it, and which one what is not said.
  expect(first).toMatchObject({ purpose: 'eval', start: { weights_version: null } });
  const [asked] = await eventsOf(verifiersV1, [episode({ run })], { overrides: { purpose: 'train' } });
  expect(asked?.purpose).toBe('train');
});

test('an episode that failed before it had an agent is a rollout that was started', async () => {
  const errors = [{ type: 'EnvError', message: 'run() raised' }];
  const events = await eventsOf(verifiersV1, [episode({ traces: [], ok: false, errors })]);
  expect(events.map(({ kind, rollout_id }) => [kind, rollout_id])).toEqual([
    ['start', 'episode-1'],
    ['end', 'episode-1'],
    ['verdict', 'episode-1'],
  ]);
  expect(events[1]?.end).toMatchObject({ reasons: [{ raw: 'EnvError' }], exception: { message: 'run() raised' } });
  expect(events[2]?.verdict).toMatchObject({ status: 'not_run', rewards: {} });
});

test('what went wrong in the environment besides is kept with each trace, and decides nothing', async () => {
  const errors = [{ type: 'EnvError', message: 'finalize() raised' }];
  const [end] = only(await eventsOf(verifiersV1, [episode({ ok: false, errors })]), 'end');
  expect(end?.end?.reasons).toMatchObject([{ raw: 'agent_completed' }, { raw: 'EnvError', after_end: true }]);
});

test('the same bytes give the same events; equal lines without ids are told apart', async () => {
  const [one, two] = [await eventsOf(verifiersV1, [episode()]), await eventsOf(verifiersV1, [episode()])];
  expect(one.map(({ event_id }) => event_id)).toEqual(two.map(({ event_id }) => event_id));
  const bare = episode({ id: '', traces: [trace({ id: undefined })] });
  const twice = only(await eventsOf(verifiersV1, [bare, bare]), 'start').map(({ rollout_id }) => rollout_id);
  expect(new Set(twice).size).toBe(2);
});
