import { describe, expect, it } from 'vitest';
import { blameOf } from '../../../src/blame/blame.ts';
import type { TrainedRow } from '../../../src/blame/trained-row.ts';
import { trainedRow } from './trained-rows.ts';

/** So many steps before step 4, each of one trajectory that completed. */
const steps = (n: number, init: Partial<TrainedRow> = {}) =>
  Array.from({ length: n }, (_, i) => trainedRow({ step: 3 - i, ...init }));
const sentenceOf = (rows: readonly TrainedRow[]) => blameOf(rows, 4, 10)?.sentence;

describe('blameOf', () => {
  it('is of one step: what is before it is compared, and is no part of it', () => {
    const blame = blameOf(
      [trainedRow({ weight: 2 }), trainedRow({ advantage: null, weight: null }), ...steps(3)],
      4,
      10,
    );
    expect(blame).toMatchObject({
      ...{ run_id: 'run', step: 4, lineage: 0, trajectories: 2, without_advantage: 1, loss_tokens: 4, weight: 2 },
      before: { asked: 10, steps: [3, 2, 1], compared: 3 },
    });
    expect(blame?.rows).toHaveLength(2);
    expect(blameOf(steps(3), 4, 10)).toBeNull();
  });

  it('says whose share is most unlike the steps before', () => {
    const now = [trainedRow({ reason: 'wall_clock', weight: 3 }), trainedRow({ weight: 1 })];
    expect(sentenceOf([...now, ...steps(3)])).toBe(
      'Step 4 of run trained 2 trajectories; reason wall_clock has 75 % of the weight, 0 % in the 3 steps before.',
    );
    const found = [trainedRow({ classes: ['args_lost'], weight: 1 }), trainedRow({ weight: 1 })];
    expect(sentenceOf([...found, ...steps(3)])).toContain('finding args_lost has 50 % of the weight, 0 % in');
  });

  it('says that nothing is unlike them', () => {
    expect(sentenceOf([trainedRow({ advantage: null, weight: null }), trainedRow(), ...steps(4)])).toBe(
      'Step 4 of run trained 2 trajectories (1 without an advantage); reason task_complete has 100 % of the weight, ' +
        'and no share is 5 % off the 4 steps before.',
    );
  });

  it('says when there are too few steps to compare, or none', () => {
    expect(sentenceOf([trainedRow(), ...steps(2, { reason: 'max_turns' })])).toMatch(
      /in the 2 steps before\. Too few steps to tell a change from chance\.$/,
    );
    expect(sentenceOf([trainedRow(), ...steps(1)])).toContain('off the step before. Too few');
    expect(sentenceOf([trainedRow()])).toBe(
      'Step 4 of run trained 1 trajectory; reason task_complete has 100 % of the weight. No step before it can be compared.',
    );
    // Steps of no weight are there, and have no shares.
    expect(sentenceOf([trainedRow(), ...steps(3, { weight: 0 })])).toContain('No step before it can be compared.');
  });

  it('says that nothing could move the weights where no advantage is other than 0', () => {
    expect(sentenceOf([trainedRow({ advantage: 0, weight: 0 }), ...steps(3)])).toBe(
      'Step 4 of run trained 1 trajectory: none of them could move the weights, no advantage is other than 0.',
    );
  });
});
