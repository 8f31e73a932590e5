import { describe, expect, it } from 'vitest';
import { policyEvent, sourceEndedEvent } from '../../../processors/control/control-event.ts';
import { sawOf } from '../../../processors/model/attempt.ts';
import type { DeadlineName } from '../../../schemas/generated/step-event.ts';
import { attemptOf, deadlineOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, type TestLane } from '../harness.ts';

const of = attemptOf();
const UNIT = 'run/0/r/r';
/** As the lane would write it now. */
function deadline(lane: TestLane, name: DeadlineName, over: { saw?: string; unit_start?: number } = {}) {
  const unit = lane.state.units.get(UNIT);
  const [attempt] = unit?.attempts.values() ?? [];
  if (unit === undefined || attempt === undefined) throw new Error('nothing is open');
  const about = { unit: UNIT, unit_start: unit.start, rollout_id: 'r', attempt: attempt.number, saw: sawOf(attempt) };
  return deadlineOf(name, { ...about, ...over });
}
const outcomes = (lane: TestLane) =>
  lane.effects().rows.decisions.map(({ rollout_id, disposition, why }) => [rollout_id, disposition, why[0]]);

describe('deadlines', () => {
  it('gap, idle and lifetime close an attempt with what is there', () => {
    for (const [name, why] of [
      ['gap', 'retry:missing_step'],
      ['idle', 'retry:worker_lost'],
      ['lifetime', 'retry:worker_lost'],
    ] as const) {
      const lane = createTestLane();
      lane.fold(of.start(), of.call(2));
      lane.fold(deadline(lane, name));
      expect(outcomes(lane)).toEqual([['r', 'retry', why]]);
    }
  });

  it('are void once anything else was accepted: a gap that was filled is none', () => {
    const lane = createTestLane();
    lane.fold(of.start(), of.call(2, { prompt_prefix_len: 5 }));
    const gap = deadline(lane, 'gap');
    lane.fold(of.call(1), gap);
    expect(outcomes(lane)).toEqual([]);
    lane.fold(of.end(3), of.verdict(1));
    expect(outcomes(lane)).toEqual([['r', 'train', 'task_complete']]);
  });

  it('are void for a unit that was opened by another record', () => {
    const lane = createTestLane();
    lane.fold(of.start());
    lane.fold(deadline(lane, 'idle', { unit_start: 7 }));
    expect(outcomes(lane)).toEqual([]);
  });

  it('of silence do not touch an attempt that is whole and waits for its verdict', () => {
    const lane = createTestLane();
    lane.fold(...of.whole().slice(0, 3));
    lane.fold(deadline(lane, 'idle'));
    lane.fold(deadline(lane, 'lifetime'));
    expect(outcomes(lane)).toEqual([]);
    lane.fold(deadline(lane, 'verdict_missing'));
    expect(outcomes(lane)).toEqual([['r', 'quarantine', 'reward_missing']]);
    expect(lane.effects().rows.decisions[0]).toMatchObject({
      reward: null,
      reward_valid: false,
      category: 'completion',
    });
  });

  it('verdict_missing does not close an attempt that has not ended', () => {
    const lane = createTestLane();
    lane.fold(of.start());
    lane.fold(deadline(lane, 'verdict_missing'));
    expect(outcomes(lane)).toEqual([]);
  });

  it('orphan gives up what never started; it counts as nothing', () => {
    const lane = createTestLane();
    lane.fold(of.call(1));
    lane.fold(deadline(lane, 'orphan'));
    const { step_faults, attempts, decisions } = lane.effects().rows;
    expect(step_faults.map(({ reason, offset, cause }) => [reason, offset, cause])).toEqual([['orphan', 0, 1]]);
    expect([attempts, decisions, lane.state.units.size]).toEqual([[], [], 0]);
  });

  it('about a unit that has closed are kept in steps and do nothing', () => {
    const lane = createTestLane();
    lane.fold(...of.whole(), deadlineOf('idle', { unit: UNIT, unit_start: 0, rollout_id: 'r', saw: '2/3' }));
    expect(outcomes(lane)).toEqual([['r', 'train', 'task_complete']]);
    expect(lane.effects().rows.steps.at(-1)?.event.kind).toBe('control');
  });
});

describe('source_ended', () => {
  const other = attemptOf({ rollout_id: 'other', producer_id: 'somebody else' });

  it('closes what that producer left open: without its end worker_lost, without its verdict reward_missing', () => {
    const lane = createTestLane();
    const done = attemptOf({ rollout_id: 'done' });
    lane.fold(
      of.start(),
      of.call(1),
      ...done.whole().slice(0, 3),
      other.start(),
      sourceEndedEvent('producer', 'import'),
    );
    expect(outcomes(lane)).toEqual([
      ['r', 'retry', 'retry:worker_lost'],
      ['done', 'quarantine', 'reward_missing'],
    ]);
    expect([...lane.state.units.keys()]).toEqual(['run/0/r/other']);
  });

  it('closes a group whose open members are all its own, and of another only its own', () => {
    for (const mixed of [false, true]) {
      const lane = createTestLane();
      const group = { group_id: 'g', group_size: 4 };
      const members = ['a', 'b'].map((rollout_id) => attemptOf({ ...group, rollout_id }));
      const elsewhere = attemptOf({ ...group, rollout_id: 'c', producer_id: 'somebody else' });
      if (mixed) lane.fold(...elsewhere.whole(0));
      lane.fold(...(members[0]?.whole(1) ?? []), ...(members[1]?.whole(0).slice(0, 2) ?? []));
      lane.fold(sourceEndedEvent('producer', 'import'));
      expect(outcomes(lane)).toEqual(
        mixed
          ? [['b', 'retry', 'retry:worker_lost']]
          : [
              ['a', 'drop', 'group_too_small'],
              ['b', 'drop', 'worker_lost'],
            ],
      );
    }
  });
});

describe('a policy in force', () => {
  it('acts from its offset on: what closed before it is decided by the one before (in one batch too)', () => {
    const lenient = policyText(['auth_quota: { disposition: drop', 'auth_quota: { disposition: quarantine']);
    const documents = documentsOf(policyText(), lenient);
    const second = { ...documents.inForce, policy_id: documentsOf(lenient).inForce.policy_id };
    const lane = createTestLane({ documents });
    const [a, b] = [attemptOf({ rollout_id: 'a' }), attemptOf({ rollout_id: 'b' })];
    lane.fold(a.start(), b.start(), a.call(1), b.call(1));
    lane.fold(a.end(2, 'auth_error'), policyEvent(second, 'p'), b.end(2, 'auth_error'));
    expect(lane.effects().rows.decisions.map((row) => [row.rollout_id, row.disposition, row.policy_id])).toEqual([
      ['a', 'drop', documents.inForce.policy_id],
      ['b', 'quarantine', second.policy_id],
    ]);
    expect(lane.cut().progress.inForce).toEqual(second);
  });
});
