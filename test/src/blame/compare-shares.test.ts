import { describe, expect, it } from 'vitest';
import { BLAMED_BY, compareShares } from '../../../src/blame/compare-shares.ts';
import { trainedRow } from './trained-rows.ts';

const { reason, finding, lag, task } = BLAMED_BY;
const shares = (rows: ReturnType<typeof compareShares>) =>
  rows.map((one) => [one.key, one.share, one.share_before, one.difference]);

describe('compareShares', () => {
  it('sums weights by key, and compares each share with its mean over the steps before', () => {
    const now = [trainedRow({ reason: 'wall_clock', weight: 6 }), trainedRow({ weight: 2 })];
    const before = [
      [trainedRow({ weight: 4 }), trainedRow({ reason: 'wall_clock', weight: 4 })],
      [trainedRow({ weight: 1 })],
      // Moved nothing: it has no shares, and is no zero.
      [trainedRow({ weight: 0 }), trainedRow({ weight: null })],
    ];
    expect(compareShares(now, before, reason)).toEqual([
      ...[
        { key: 'wall_clock', weight: 6, share: 0.75, share_before: 0.25, difference: 0.5 },
        { key: 'task_complete', weight: 2, share: 0.25, share_before: 0.75, difference: -0.5 },
      ].map((one) => ({ ...one, trajectories: 1, without_weight: 0 })),
    ]);
  });

  it('what has no weight is counted apart, and is in no share', () => {
    const rows = [trainedRow({ weight: 3 }), trainedRow({ weight: null, advantage: null }), trainedRow({ weight: 0 })];
    expect(compareShares(rows, [], reason)).toEqual([
      ...[{ key: 'task_complete', trajectories: 3, without_weight: 1, weight: 3, share: 1 }].map((one) => ({
        ...one,
        share_before: null,
        difference: null,
      })),
    ]);
    const [only] = compareShares([trainedRow({ weight: null })], [[trainedRow({ weight: 1 })]], reason);
    expect(only).toMatchObject({ weight: 0, share: null, share_before: 1, difference: null });
  });

  it('a key that only the steps before had has share 0 now', () => {
    const gone = compareShares([trainedRow({ weight: 1 })], [[trainedRow({ reason: 'max_turns', weight: 1 })]], reason);
    expect(shares(gone)).toEqual([
      ['task_complete', 1, 0, 1],
      ['max_turns', 0, 1, -1],
    ]);
  });

  it('tells what was looked at and clean from what nobody could look at; two findings count in both', () => {
    const rows = [
      trainedRow({ weight: 1, classes: ['args_lost', 'silent_repair'] }),
      trainedRow({ weight: 2, classes: [] }),
      trainedRow({ weight: 5, classes: [], is_audited: false }),
    ];
    expect(shares(compareShares(rows, [], finding)).map(([key, share]) => [key, share])).toEqual([
      ['not_auditable', 0.625],
      ['none', 0.25],
      ['args_lost', 0.125],
      ['silent_repair', 0.125],
    ]);
  });

  it('a lag that is not known is not 0; a task is of its environment', () => {
    const rows = [trainedRow({ lag: null, weight: 1 }), trainedRow({ lag: 0, weight: 3 })];
    expect(compareShares(rows, [], lag).map(({ key }) => key)).toEqual(['0', 'unknown']);
    expect(compareShares([trainedRow({ env_name: 'swe', task_id: '7' })], [], task)[0]?.key).toBe('swe/7');
    expect(compareShares([trainedRow({ reason: '' })], [], reason)[0]?.key).toBe('unknown');
  });
});
