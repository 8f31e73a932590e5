import { describe, expect, it } from 'vitest';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

describe('a cut', () => {
  it('holds effects, frontier, watermark, starts and open attempts as of one record, and empties the lane of them', () => {
    const lane = createTestLane();
    const [a, b] = [attemptOf({ rollout_id: 'a' }), attemptOf({ rollout_id: 'b' })];
    lane.fold(...a.whole(1), b.start(), attemptOf({ rollout_id: 'orphan' }).call(1));
    const { progress, open, effects } = lane.cut();
    expect(progress).toEqual({
      ...{ term: 1, frontier: 6, watermark: 4, starts: new Set([4, 5]) },
      inForce: lane.state.inForce,
    });
    // An orphan holds the watermark, and does not count as open.
    expect(open).toEqual([{ run_id: 'run', epoch: 0, unit: 'run/0/r/b', rollout_id: 'b', attempt: 0 }]);
    expect(effects.rows.decisions).toHaveLength(1);
    expect(lane.state.effects.rows.decisions).toEqual([]);
  });

  it('of a lane without open units has its watermark at the frontier', () => {
    const lane = createTestLane();
    lane.fold(...attemptOf().whole(1));
    expect(lane.cut().progress).toMatchObject({ frontier: 4, watermark: 4, starts: new Set() });
  });
});
