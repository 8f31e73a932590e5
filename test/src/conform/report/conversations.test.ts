import { expect, it } from 'vitest';
import { conversationsOf } from '../../../../src/conform/report/conversations.ts';
import { again, call, following } from './hand-made.ts';

/** Calls by turn, tries within. */
const shapeOf = (calls: Parameters<typeof conversationsOf>[0]) =>
  conversationsOf(calls).map(({ turns }) => turns.map(({ tries }) => tries.map((one) => one.call)));

it('a turn that is asked for again until it is answered is one turn of one rollout', () => {
  const refused = call({ status: 429, completionIds: [], logprobs: [], finishReason: null });
  const answered = { ...call(), call: 2 };
  expect(shapeOf([refused, again(refused, { call: 1 }), answered, following(answered, 'x')])).toEqual([
    [[0, 1, 2], [3]],
  ]);
});

it('a first turn after one that was answered whole is another rollout', () => {
  expect(shapeOf([call(), { ...call(), call: 1, attempt: 1 }])).toEqual([[[0]], [[1]]]);
});

it('of rollouts that stand alike each is gone on with once, whichever of them the engine names', () => {
  const [a, b] = [call(), { ...call(), call: 1, attempt: 1 }];
  const [first, second] = [following(b, 'x', { call: 2 }), following(b, 'y', { call: 3 })];
  expect(shapeOf([a, b, first, second])).toEqual([
    [[0], [3]],
    [[1], [2]],
  ]);
});

it('a later turn that is asked for again stays with its rollout', () => {
  const first = call();
  const cut = following(first, 'x', { ended: 'reset', finishReason: null });
  expect(shapeOf([first, cut, { ...cut, call: 2, ended: 'complete', finishReason: { type: 'stop' } }])).toEqual([
    [[0], [1, 2]],
  ]);
});

it('tasks and scenarios are apart, calls without a marker are none, and the order of the log does not matter', () => {
  const calls = [call({ call: 5, task: 1 }), call({ call: 4, scenario: 'two_eos' }), call({ call: 9, scenario: null })];
  expect(conversationsOf([...calls, call()]).map(({ scenario, task }) => `${scenario}#${task}`)).toEqual([
    'honest#0',
    'two_eos#0',
    'honest#1',
  ]);
});
