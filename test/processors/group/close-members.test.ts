import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptOf, deadlineOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, type TestLane } from '../harness.ts';

const UNIT = 'run/0/g/g';
const member = (rollout_id: string, group_size: number, attempt = 0) =>
  attemptOf({ group_id: 'g', group_size, rollout_id, attempt });
const laneWith = (...changes: ReadonlyArray<readonly [string, string]>) =>
  createTestLane({ documents: documentsOf(policyText(...changes)) });
const grouped = (text: string): readonly [string, string] => ['group:\n', `group:\n  ${text}\n`];
const decisions = (lane: TestLane) =>
  lane.effects().rows.decisions.map(({ rollout_id, disposition, why, advantage, in_loss, in_baseline }) => ({
    ...{ rollout_id, disposition, why, advantage, in_loss, in_baseline },
  }));
const trajectories = (lane: TestLane) => lane.effects().rows.trajectories.map(({ trajectory }) => trajectory);

describe('a group without spread', () => {
  it('passes with advantage 0, float noise included (case 99)', () => {
    const lane = laneWith();
    for (const [id, reward] of [
      ['a', 0.3],
      ['b', 0.30000000000000004],
      ['c', 0.3],
    ] as const)
      lane.fold(...member(id, 3).whole(reward));
    expect(decisions(lane).map(({ disposition, advantage }) => [disposition, advantage])).toEqual(
      Array(3).fill(['train', 0]),
    );
  });

  it('is dropped where the policy samples dynamically, with what it was measured by (cases 78, 99)', () => {
    const lane = laneWith(grouped('zero_variance: drop'));
    for (const [id, reward] of [
      ['a', 0.3],
      ['b', 0.30000000000000004],
    ] as const)
      lane.fold(...member(id, 2).whole(reward));
    expect(decisions(lane)).toEqual(
      ['a', 'b'].map((rollout_id) => ({
        ...{ rollout_id, disposition: 'drop', why: ['zero_variance', 'task_complete'] },
        ...{ advantage: null, in_loss: false, in_baseline: false },
      })),
    );
    expect(trajectories(lane)[0]).toMatchObject({ group_stats: { n: 2 }, group_index: null, group_size_actual: null });
    expect(lane.state.units.size).toBe(0);
  });

  it('is one within the tolerance of the policy', () => {
    const outcome = (tolerance: string) => {
      const lane = laneWith(grouped(`zero_variance: drop\n  tolerance: ${tolerance}`));
      lane.fold(...member('a', 2).whole(0.5), ...member('b', 2).whole(0.51));
      return decisions(lane).map(({ disposition }) => disposition);
    };
    expect(outcome('0.001')).toEqual(['train', 'train']);
    expect(outcome('0.1')).toEqual(['drop', 'drop']);
  });
});

describe('a group of two score versions', () => {
  it('is not normalised: no advantage, and it says why', () => {
    const lane = laneWith();
    const [a, b] = [member('a', 2), member('b', 2)];
    lane.fold(a.start(), a.call(1), a.end(2), a.verdict(1, { scorer_version: '1' }));
    lane.fold(b.start(), b.call(1), b.end(2), b.verdict(0, { scorer_version: '2' }));
    expect(decisions(lane)).toEqual(
      ['a', 'b'].map((rollout_id) => ({
        ...{ rollout_id, disposition: 'train', why: ['task_complete', 'score_versions_differ'] },
        ...{ advantage: null, in_loss: true, in_baseline: false },
      })),
    );
    expect(trajectories(lane).map(({ group_stats, group_size_actual }) => [group_stats, group_size_actual])).toEqual([
      [null, 2],
      [null, 2],
    ]);
  });

  it('is one no more when the newer scorer has answered for all', () => {
    const lane = laneWith();
    const [a, b] = [member('a', 2), member('b', 2)];
    lane.fold(a.start(), a.call(1), a.end(2), a.verdict(1, { scorer_version: '1' }));
    lane.fold(a.verdict(0.5, { scorer_version: '2' }, { event_id: 'newer' }));
    lane.fold(b.start(), b.call(1), b.end(2), b.verdict(0, { scorer_version: '2' }));
    expect(trajectories(lane).map(({ reward, group_stats }) => [reward, group_stats?.mean])).toEqual([
      [0.5, 0.25],
      [0, 0.25],
    ]);
  });
});

describe('a member that ended by a fault and is not tried again', () => {
  const faulted = (lane: TestLane) => {
    const lost = member('c', 3);
    lane.fold(...member('a', 3).whole(1), lost.start(), lost.call(1), lost.end(2, 'auth_error'));
    lane.fold(...member('b', 3).whole(0));
    return decisions(lane).map(({ rollout_id, disposition, why, in_loss }) => [rollout_id, disposition, why, in_loss]);
  };
  const lost = ['c', 'drop', ['auth_quota'], false];

  it('leaves the others alone', () => {
    expect(faulted(laneWith())).toEqual([
      lost,
      ['a', 'train', ['task_complete'], true],
      ['b', 'train', ['task_complete'], true],
    ]);
  });

  it('takes its group with it, where the policy says so', () => {
    expect(faulted(laneWith(grouped('on_fault: drop')))).toEqual([
      lost,
      ['a', 'drop', ['group_fault', 'task_complete'], false],
      ['b', 'drop', ['group_fault', 'task_complete'], false],
    ]);
  });

  it('masks its group, where the policy says so: on ready, out of the loss, with advantages', () => {
    const lane = laneWith(grouped('on_fault: mask'));
    expect(faulted(lane)).toEqual([
      lost,
      ['a', 'train_masked', ['task_complete', 'group_fault'], false],
      ['b', 'train_masked', ['task_complete', 'group_fault'], false],
    ]);
    const masked = trajectories(lane).filter(({ disposition }) => disposition === 'train_masked');
    expect(masked.map(({ rollout_loss_tokens, in_baseline }) => [rollout_loss_tokens, in_baseline])).toEqual([
      [0, true],
      [0, true],
    ]);
    expect(masked[0]?.advantage).toBeGreaterThan(0.7);
  });

  it('is none that was tried again and came, nor one that the policy failed', () => {
    const lane = laneWith(grouped('on_fault: drop'));
    const lost = member('b', 2);
    lane.fold(...member('a', 2).whole(1), lost.start(), lost.call(1), lost.end(2, 'connection_error'));
    lane.fold(...member('b', 2, 1).whole(0, 'max_tokens_reached'));
    expect(decisions(lane).map(({ disposition }) => disposition)).toEqual(['retry', 'train', 'train']);
  });

  it('is one, too, that was to be tried again and had not come when its group closed', () => {
    const close = (rule: string) => {
      const lane = laneWith(grouped(rule));
      const lost = member('c', 3);
      lane.fold(...member('a', 3).whole(1), lost.start(), lost.call(1), lost.end(2, 'connection_error'));
      lane.fold(...member('b', 3).whole(0), deadlineOf('group_incomplete', { unit: UNIT, unit_start: 0 }));
      return decisions(lane).map(({ disposition, why }) => [disposition, why[0]]);
    };
    const asked = ['retry', 'retry:llm_error'];
    expect(close('on_fault: keep')).toEqual([asked, ['train', 'task_complete'], ['train', 'task_complete']]);
    expect(close('on_fault: drop')).toEqual([asked, ['drop', 'group_fault'], ['drop', 'group_fault']]);
  });

  it('is none that came again and left for something else', () => {
    const lane = laneWith(grouped('on_fault: drop'));
    const lost = member('c', 3);
    lane.fold(...member('a', 3).whole(1), lost.start(), lost.call(1), lost.end(2, 'connection_error'));
    lane.fold(...member('c', 3, 1).whole(1, 'nobody_knows'), ...member('b', 3).whole(0));
    expect(decisions(lane).map(({ disposition }) => disposition)).toEqual(['retry', 'quarantine', 'train', 'train']);
  });
});

describe('a member out of the baseline', () => {
  const outside: readonly [string, string] = [
    'codes:\n',
    'codes:\n  output_tokens: { disposition: train, awaits_verdict: true, unscored: 0, in_baseline: false }\n',
  ];

  it('trains, with an advantage against the others’ baseline', () => {
    const lane = laneWith(outside, ['divide_by_std: true', 'divide_by_std: false']);
    lane.fold(...member('a', 3).whole(1), ...member('b', 3).whole(0.5));
    lane.fold(...member('c', 3).whole(0, 'max_tokens_reached'));
    expect(decisions(lane).map(({ advantage, in_loss, in_baseline }) => [advantage, in_loss, in_baseline])).toEqual([
      [0.25, true, true],
      [-0.25, true, true],
      [-0.75, true, false],
    ]);
  });

  it('does not move its siblings, whatever its reward is', () => {
    const reward = fc.double({ noNaN: true, min: -100, max: 100 });
    const baselines = ['grpo', 'mean', 'leave_one_out'] as const;
    const documents = Object.fromEntries(
      baselines.map((name) => [name, documentsOf(policyText(outside, ['baseline: grpo', `baseline: ${name}`]))]),
    );
    const siblings = (own: readonly number[], odd: readonly number[], baseline: string) => {
      const size = own.length + odd.length;
      const lane = createTestLane({ documents: documents[baseline] });
      for (const [i, value] of own.entries()) lane.fold(...member(`a${i}`, size).whole(value));
      for (const [i, value] of odd.entries()) lane.fold(...member(`z${i}`, size).whole(value, 'max_tokens_reached'));
      return trajectories(lane)
        .filter(({ rollout_id }) => rollout_id.startsWith('a'))
        .map(({ advantage, group_stats }) => [advantage, group_stats]);
    };
    fc.assert(
      fc.property(
        fc.array(reward, { minLength: 2, maxLength: 4 }),
        fc.array(reward, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...baselines),
        (own, odd, baseline) => {
          expect(siblings(own, odd, baseline)).toEqual(siblings(own, [], baseline));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a group that emits each', () => {
  const each = grouped('emit: each');

  it('lets members pass as they finish, without advantage, size or place, and knows their repeats', () => {
    const lane = laneWith(each);
    lane.fold(...member('a', 3).whole(1));
    expect(trajectories(lane)).toMatchObject([
      {
        ...{ rollout_id: 'a', disposition: 'train', advantage: null, group_stats: null },
        ...{ group_size_expected: 3, group_size_actual: null, group_index: null },
      },
    ]);
    lane.fold(...member('a', 3).whole(1), ...member('b', 3).whole(0));
    expect(lane.state.units.size).toBe(1);
    lane.fold(...member('c', 3).whole(0));
    expect(trajectories(lane).map(({ rollout_id }) => rollout_id)).toEqual(['a', 'b', 'c']);
    expect(lane.state.units.size).toBe(0);
  });

  it('closed by its deadline gives up what has not finished', () => {
    const lane = laneWith(each);
    lane.fold(...member('a', 3).whole(1), member('b', 3).start(), member('b', 3).call(1));
    lane.fold(deadlineOf('group_incomplete', { unit: UNIT, unit_start: 0 }));
    expect(decisions(lane).map(({ rollout_id, why }) => [rollout_id, why[0]])).toEqual([
      ['a', 'task_complete'],
      ['b', 'group_closed'],
    ]);
    expect(lane.state.units.size).toBe(0);
  });

  it('and has begun to, does so to its end: the rest is no group of its own', () => {
    const [first, second] = [policyText(each), policyText()];
    const documents = documentsOf(first, second);
    const lane = createTestLane({ documents });
    lane.fold(...member('a', 3).whole(1));
    lane.state.inForce = { ...lane.state.inForce, policy_id: documentsOf(second).inForce.policy_id };
    lane.fold(...member('b', 3).whole(1), ...member('c', 3).whole(0));
    expect(
      trajectories(lane).map(({ rollout_id, advantage, group_index }) => [rollout_id, advantage, group_index]),
    ).toEqual(['a', 'b', 'c'].map((id) => [id, null, null]));
  });
});

describe('a group is what its first start says', () => {
  const faults = (lane: TestLane) => lane.effects().rows.step_faults.map(({ reason, offset }) => [reason, offset]);

  it('a start of another size, of another task, or one too many is a step fault', () => {
    const lane = laneWith();
    lane.fold(member('a', 2).start(), member('b', 3).start(), member('b', 2).start({ task_id: 'another' }));
    lane.fold(member('b', 2).start(), member('c', 2).start());
    expect(faults(lane)).toEqual([
      ['group_size_conflict', 1],
      ['task_conflict', 2],
      ['group_overfull', 4],
    ]);
    expect(lane.effects().rows.attempts).toHaveLength(2);
  });

  it('one that is tried again is not one too many', () => {
    const lane = laneWith();
    const lost = member('b', 2);
    lane.fold(member('a', 2).start(), lost.start(), lost.end(1, 'connection_error'), member('b', 2, 1).start());
    expect(faults(lane)).toEqual([]);
  });

  it('not what a verifier says that came first, and does not know the size', () => {
    const lane = laneWith();
    const [a, b] = [member('a', 2), member('b', 2)];
    lane.fold(a.verdict(1, {}, { group_size: null, task_id: '' }), a.start(), a.call(1), a.end(2));
    expect(decisions(lane)).toEqual([]);
    lane.fold(...b.whole(0));
    expect(trajectories(lane).map(({ group_size_actual }) => group_size_actual)).toEqual([2, 2]);
  });

  it('and never opens again, though the first record after it closed names no size', () => {
    const lane = laneWith();
    lane.fold(...member('a', 2).whole(1), ...member('b', 2).whole(0));
    lane.fold(member('c', 2).verdict(1, {}, { group_size: null }), member('c', 2).start());
    expect(faults(lane)).toEqual([['group_closed', 9]]);
  });
});
