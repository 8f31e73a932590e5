import { describe, expect, it } from 'vitest';
import { attemptOf, deadlineOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, type TestLane } from '../harness.ts';

const UNIT = 'run/0/g/g';
const member = (rollout_id: string, group_size: number | null, attempt = 0) =>
  attemptOf({ group_id: 'g', group_size, rollout_id, attempt });
const outcomes = (lane: TestLane) =>
  lane
    .effects()
    .rows.decisions.map(({ rollout_id, disposition, why, offset }) => [rollout_id, disposition, why[0], offset]);
const ready = (lane: TestLane) =>
  lane.effects().records.flatMap((record) => (record.topic === 'ready' ? [record.trajectory] : []));
const deadline = (unit_start: number) => deadlineOf('group_incomplete', { unit: UNIT, unit_start });

describe('a group of known size', () => {
  it('leaves when its last member is there, all at one offset, in order of rollout, with advantages', () => {
    const lane = createTestLane();
    lane.fold(...member('b', 2).whole(0));
    expect(outcomes(lane)).toEqual([]);
    lane.fold(...member('a', 2).whole(1));
    expect(outcomes(lane)).toEqual([
      ['a', 'train', 'task_complete', 7],
      ['b', 'train', 'task_complete', 7],
    ]);
    // mean 0.5, std with ddof 1: sqrt(0.5) = 0.7071067811865476; 0.5 / (0.7071067811865476 + 1e-6).
    const [first, second] = ready(lane);
    expect(first?.advantage).toBeCloseTo(0.707105781187962, 12);
    expect(second?.advantage).toBeCloseTo(-0.707105781187962, 12);
    expect(first).toMatchObject({ group_size_expected: 2, group_size_actual: 2, group_index: 0 });
    expect(first?.group_stats).toMatchObject({ baseline: 'grpo', n: 2, mean: 0.5 });
    expect(lane.state.units.size).toBe(0);
  });

  it('with one survivor of four is dropped, with three it trains as a smaller group, with none it is empty (case 109)', () => {
    for (const survivors of [0, 1, 3]) {
      const lane = createTestLane();
      for (const [i, id] of ['a', 'b', 'c', 'd'].entries()) {
        const of = member(id, 4);
        if (i < survivors) lane.fold(...of.whole(i === 0 ? 1 : 0));
        else lane.fold(of.start(), of.call(1), of.end(2, 'auth_error'));
      }
      const trained = ready(lane).map(({ rollout_id, group_size_actual }) => [rollout_id, group_size_actual]);
      expect(trained).toEqual(survivors === 3 ? ['a', 'b', 'c'].map((id) => [id, 3]) : []);
      const reasons = lane.effects().rows.decisions.map(({ why }) => why[0]);
      expect(reasons.filter((why) => why === 'group_too_small')).toHaveLength(survivors === 1 ? 1 : 0);
      expect(lane.effects().rows.decisions).toHaveLength(4);
      expect(lane.state.units.size).toBe(0);
    }
  });

  it('a member whose verifier failed is out of the loss, the baseline and the size (case 98)', () => {
    const lane = createTestLane();
    const ids = ['a', 'b', 'c', 'd'];
    const rewards = [1, 0, Number.NaN, 1];
    for (const [i, id] of ids.entries()) lane.fold(...member(id, 4).whole(rewards[i]));
    expect(outcomes(lane).map(([id, disposition, why]) => [id, disposition, why])).toEqual([
      ['c', 'quarantine', 'reward_missing'],
      ['a', 'train', 'task_complete'],
      ['b', 'train', 'task_complete'],
      ['d', 'train', 'task_complete'],
    ]);
    // Of 1, 0, 1: mean 2/3, std with ddof 1 sqrt(1/3).
    const [first] = ready(lane);
    expect(first?.group_stats?.n).toBe(3);
    expect(first?.group_stats?.mean).toBeCloseTo(2 / 3, 15);
    expect(first?.advantage).toBeCloseTo(1 / 3 / (Math.sqrt(1 / 3) + 1e-6), 12);
  });

  it('waits for a member that is tried again', () => {
    const lane = createTestLane();
    const lost = member('b', 2);
    lane.fold(...member('a', 2).whole(1), lost.start(), lost.call(1), lost.end(2, 'connection_error'));
    expect(outcomes(lane)).toEqual([['b', 'retry', 'retry:llm_error', 6]]);
    lane.fold(...member('b', 2, 1).whole(0));
    expect(ready(lane).map(({ rollout_id, attempt }) => [rollout_id, attempt])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
  });

  it('closed by its deadline passes what is there, and retries none: unfinished members are group_closed', () => {
    const lane = createTestLane();
    lane.fold(...member('a', 4).whole(1), ...member('b', 4).whole(0), member('c', 4).start(), member('c', 4).call(1));
    lane.fold(deadline(0));
    expect(outcomes(lane)).toEqual([
      ['a', 'train', 'task_complete', 10],
      ['b', 'train', 'task_complete', 10],
      ['c', 'drop', 'group_closed', 10],
    ]);
    expect(
      ready(lane).map(({ group_size_expected, group_size_actual }) => [group_size_expected, group_size_actual]),
    ).toEqual([
      [4, 2],
      [4, 2],
    ]);
  });

  it('its deadline is void for another opening', () => {
    const lane = createTestLane();
    lane.fold(...member('a', 2).whole(1), deadline(9));
    expect(outcomes(lane)).toEqual([]);
  });

  it('opens once: what comes after it closed is group_closed, its verdicts are late', () => {
    const lane = createTestLane();
    lane.fold(...member('a', 3).whole(1), ...member('b', 3).whole(0), deadline(0));
    const c = member('c', 3);
    lane.fold(c.start(), c.verdict(1), member('a', 3).start());
    expect(lane.effects().rows.step_faults.map(({ reason, offset }) => [reason, offset])).toEqual([
      ['group_closed', 9],
      ['late', 11],
    ]);
    expect(lane.effects().rows.verdicts.at(-1)).toMatchObject({ late: true, offset: 10 });
  });

  it('is judged by the policy in force when it closes', () => {
    // Nothing but the code changed: what waited under the first policy is dropped under the second.
    const strict = policyText([
      'codes:\n',
      'codes:\n  output_tokens: { disposition: drop, awaits_verdict: true, unscored: 0 }\n',
    ]);
    const documents = documentsOf(policyText(), strict);
    const lane = createTestLane({ documents });
    lane.fold(...member('a', 3).whole(1, 'max_tokens_reached'), ...member('b', 3).whole(1));
    lane.state.inForce = { ...documents.inForce, policy_id: documentsOf(strict).inForce.policy_id };
    lane.fold(...member('c', 3).whole(0));
    expect(outcomes(lane).map(([id, disposition]) => [id, disposition])).toEqual([
      ['b', 'train'],
      ['c', 'train'],
      ['a', 'drop'],
    ]);
  });
});

describe('a group of unknown size', () => {
  it('lets members pass as they finish, without advantage, and closes when none is open', () => {
    const lane = createTestLane();
    const [a, b] = [member('a', null), member('b', null)];
    lane.fold(a.start(), b.start(), ...a.whole(1).slice(1));
    expect(ready(lane).map(({ rollout_id, advantage, group_stats }) => [rollout_id, advantage, group_stats])).toEqual([
      ['a', null, null],
    ]);
    expect([...lane.state.units.keys()]).toEqual([UNIT]);
    lane.fold(...b.whole(0).slice(1));
    expect(ready(lane)).toHaveLength(2);
    expect(lane.state.units.size).toBe(0);
  });

  it('knows a repeat of a member that passed while it was open, in the batch that closes it', () => {
    const lane = createTestLane();
    const [a, b] = [member('a', null), member('b', null)];
    lane.fold(a.start(), b.start(), ...a.whole(1).slice(1));
    lane.state.recent.clear();
    lane.fold(...b.whole(0).slice(1), ...a.whole(1));
    expect(ready(lane)).toHaveLength(2);
  });
});

it('a rollout without a group has no advantage and no group fields', () => {
  const lane = createTestLane();
  lane.fold(...attemptOf().whole(1));
  expect(ready(lane)[0]).toMatchObject({
    advantage: null,
    group_stats: null,
    group_size_actual: null,
    group_index: null,
  });
});
