import { expect, it } from 'vitest';
import type { ChangedAttempt, DecidedAs } from '../../../../../processors/replay/diff-tally.ts';
import { changedByGroup, mostChanged } from '../../../../../web/src/pages/replays/by-group.ts';

const decided = (disposition: string, reward: number | null, advantage: number | null): DecidedAs => ({
  ...{ reason_code: 'task_complete', category: 'completion', why: 'task_complete', disposition, reward, advantage },
});

const changed = (
  unit: string,
  rollout_id: string,
  before: DecidedAs | null,
  after: DecidedAs | null,
): ChangedAttempt => ({
  ...{ unit, rollout_id, attempt: 0, before, after, refused: '' },
});

const EXAMPLES = [
  changed('r/0/g/a', 'a_0', decided('train', 1, 0.5), decided('train', 0, -0.5)),
  changed('r/0/g/b', 'b_0', decided('train', 1, 0.5), decided('drop', null, null)),
  changed('r/0/g/b', 'b_1', decided('train', 1, 0.5), decided('train', 0.5, 0.25)),
  changed('r/0/g/b', 'b_2', decided('drop', null, null), null),
];

it('a group counts its changes, and means are of rewards that are there before and after', () => {
  expect(changedByGroup(EXAMPLES)).toEqual([
    {
      unit: 'r/0/g/b',
      changed: 3,
      trained_before: 2,
      trained_after: 1,
      mean_reward_change: -0.5,
      largest_advantage_change: 0.25,
    },
    {
      unit: 'r/0/g/a',
      changed: 1,
      trained_before: 1,
      trained_after: 1,
      mean_reward_change: -1,
      largest_advantage_change: 1,
    },
  ]);
});

it('whose reward moved furthest comes first, and a reward that is gone is no move to 0', () => {
  expect(mostChanged(EXAMPLES).map(({ rollout_id }) => rollout_id)).toEqual(['a_0', 'b_1', 'b_0', 'b_2']);
});
