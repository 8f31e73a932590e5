import { describe, expect, it } from 'vitest';
import { attemptOf, numbersOf } from '../events.ts';
import { createTestLane, type TestLane } from '../harness.ts';

const faultsOf = (lane: TestLane) => lane.effects().rows.step_faults.map(({ reason, offset }) => [reason, offset]);
const decisionsOf = (lane: TestLane) =>
  lane
    .effects()
    .rows.decisions.map(({ rollout_id, attempt, disposition, why }) => [rollout_id, attempt, disposition, why[0]]);
const sampledOf = (lane: TestLane) => {
  const [segment] = lane.effects().rows.trajectories[0]?.trajectory.segments ?? [];
  return numbersOf(segment?.token_ids, 'uint32');
};
const one = { prompt: [1], sampled: [2] };
const two = { prompt_prefix_len: 2, prompt: [3], sampled: [4] };

describe('events of an attempt', () => {
  it('are folded in order of seq, not of arrival or time (case 111)', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(
      of.start(),
      of.call(2, two, { started_at: 9_000_000 }),
      of.end(3, 'task_complete', 'strands-env', { started_at: 11_000_000 }),
    );
    expect(lane.effects().rows.decisions).toEqual([]);
    lane.fold(of.call(1, one, { started_at: 10_000_000 }), of.verdict(1));
    expect(sampledOf(lane)).toEqual([1, 2, 3, 4]);
    expect(decisionsOf(lane)).toEqual([['r', 0, 'train', 'task_complete']]);
  });

  it('belong to the first producer; those of another one are refused', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(1, one, { producer_id: 'thief', event_id: 'other' }), ...of.whole().slice(1));
    expect(faultsOf(lane)).toEqual([['not_owner', 1]]);
    expect(decisionsOf(lane)).toEqual([['r', 0, 'train', 'task_complete']]);
  });

  it('delivered 139 times are one step and 138 counted duplicates (case 122)', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), ...Array.from({ length: 139 }, () => of.call(1)));
    expect(lane.effects().rows.steps.filter(({ event }) => event.seq === 1)).toHaveLength(1);
    expect(faultsOf(lane)).toEqual(Array.from({ length: 138 }, (_, i) => ['duplicate', i + 2]));
  });

  it('of one seq and other content: the first is kept, the other is conflicting_duplicate', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(1, { prompt: [1], sampled: [2] }));
    lane.fold(of.call(1, { prompt: [1], sampled: [9] }, { event_id: 'other' }), of.end(2), of.verdict(1));
    expect(faultsOf(lane)).toEqual([['conflicting_duplicate', 2]]);
    expect(sampledOf(lane)).toEqual([1, 2]);
  });

  it('wait in a bounded buffer: one too many, and the attempt is missing_step', () => {
    const lane = createTestLane({ reorderEvents: 2 });
    const of = attemptOf();
    lane.fold(of.start(), of.call(2), of.call(3));
    expect(lane.effects().rows.decisions).toEqual([]);
    lane.fold(of.call(4));
    expect(decisionsOf(lane)).toEqual([['r', 0, 'retry', 'retry:missing_step']]);
  });

  it('after the end are late; the trajectory is as it was (case 113)', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(1, one), of.end(2), of.call(3, two), of.verdict(1));
    expect(faultsOf(lane)).toEqual([['late', 3]]);
    expect(sampledOf(lane)).toEqual([1, 2]);
  });

  it('with a seq above the end’s that came before it are not folded, and nothing waits for them', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(3, two), of.end(2), of.call(1, one), of.verdict(1));
    expect(sampledOf(lane)).toEqual([1, 2]);
    expect(decisionsOf(lane)).toEqual([['r', 0, 'train', 'task_complete']]);
  });

  it('a second end with another reason is flagged, the first reason wins (case 113)', () => {
    for (const [seq, flag] of [
      [2, 'conflicting_duplicate'],
      [3, 'late'],
    ] as const) {
      const lane = createTestLane();
      const of = attemptOf();
      lane.fold(of.start(), of.call(1), of.end(2));
      lane.fold(of.end(seq, 'connection_error', 'strands-env', { event_id: 'other' }), of.verdict(1));
      expect(faultsOf(lane)).toEqual([[flag, 3]]);
      expect(decisionsOf(lane)).toEqual([['r', 0, 'train', 'task_complete']]);
    }
  });

  it('a phase and a verdict after the end are not late (case 82)', () => {
    const lane = createTestLane();
    const of = attemptOf();
    const killed = { phase: 'cleanup', error: { type: 'killed', message: null } } as const;
    lane.fold(
      of.start(),
      of.call(1),
      of.end(2),
      of.phase('clean-up', killed, { duration_us: 3_500_000_000 }),
      of.verdict(1),
    );
    const { trajectory } = lane.effects().rows.trajectories[0] ?? {};
    expect(faultsOf(lane)).toEqual([]);
    expect(trajectory).toMatchObject({ disposition: 'train', category: 'completion', wall_ms: { cleanup: 3_500_000 } });
  });

  it('a verdict after the decision is kept, marked late; a phase amends the steps alone', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(...of.whole(1));
    lane.fold(of.verdict(0, { scorer: 'second' }), of.phase('clean-up', { phase: 'cleanup' }));
    const { verdicts, steps, step_faults, decisions } = lane.effects().rows;
    expect(verdicts.map(({ late, offset }) => [late, offset])).toEqual([
      [false, 3],
      [true, 4],
    ]);
    expect(steps.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 5]);
    expect(step_faults).toEqual([]);
    expect(decisions).toHaveLength(1);
  });
});

describe('orphans', () => {
  it('wait for their start, are accepted by it and name it as their cause', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.call(1), of.verdict(1));
    expect(lane.effects().rows.steps).toEqual([]);
    lane.fold(of.start(), of.end(2));
    const { steps, verdicts } = lane.effects().rows;
    expect(steps.map(({ offset, cause }) => [offset, cause])).toEqual([
      [2, 2],
      [0, 2],
      [1, 2],
      [3, 3],
    ]);
    expect(verdicts.map(({ offset, cause, late }) => [offset, cause, late])).toEqual([[1, 2, false]]);
    expect(decisionsOf(lane)).toEqual([['r', 0, 'train', 'task_complete']]);
  });

  it('that nobody starts are faults: not started, not decided', () => {
    const lane = createTestLane({ reorderEvents: 2 });
    const of = attemptOf();
    lane.fold(of.call(1), of.call(2), of.verdict(1));
    expect(faultsOf(lane)).toEqual([
      ['orphan', 0],
      ['orphan', 1],
      ['orphan', 2],
    ]);
    const { attempts, decisions } = lane.effects().rows;
    expect([attempts, decisions, lane.state.units.size]).toEqual([[], [], 0]);
  });

  it('of a higher attempt supersede nothing', () => {
    const lane = createTestLane();
    lane.fold(attemptOf().start(), attemptOf({ attempt: 1 }).call(1), ...attemptOf().whole().slice(1));
    expect(decisionsOf(lane)).toEqual([['r', 0, 'train', 'task_complete']]);
  });
});

describe('attempts', () => {
  it('a higher one supersedes the lower, which is in decisions alone', () => {
    const lane = createTestLane();
    lane.fold(attemptOf().start(), attemptOf().call(1), ...attemptOf({ attempt: 1 }).whole());
    const { rows, records } = lane.effects();
    expect(decisionsOf(lane)).toEqual([
      ['r', 0, 'superseded', 'higher_attempt'],
      ['r', 1, 'train', 'task_complete'],
    ]);
    expect(rows.trajectories.map(({ trajectory }) => trajectory.attempt)).toEqual([1]);
    expect(records.map(({ topic }) => topic)).toEqual(['ready']);
  });

  it('a lower one is a stale_attempt', () => {
    const lane = createTestLane();
    lane.fold(attemptOf({ attempt: 1 }).start(), attemptOf().start(), attemptOf().verdict(1));
    expect(faultsOf(lane)).toEqual([['stale_attempt', 1]]);
    expect(lane.effects().rows.verdicts.map(({ late }) => late)).toEqual([true]);
    expect(lane.effects().rows.attempts).toHaveLength(1);
  });
});

describe('verdicts', () => {
  it('of one scorer and version: an equal one is dropped, an unequal one flagged, the first counts (case 101)', () => {
    for (const early of [true, false]) {
      const lane = createTestLane();
      const of = attemptOf();
      const verdicts = [
        of.verdict(0.25, {}, { event_id: 'v1' }),
        of.verdict(0.25, {}, { event_id: 'v2' }),
        of.verdict(1, {}, { event_id: 'v3' }),
      ];
      const at = early ? 0 : 1;
      if (early) lane.fold(...verdicts, of.start(), of.call(1), of.end(2));
      else lane.fold(of.start(), ...verdicts, of.call(1), of.end(2));
      expect(faultsOf(lane)).toEqual([
        ['duplicate', at + 1],
        ['conflicting_duplicate', at + 2],
      ]);
      expect(lane.effects().rows.decisions.map(({ reward }) => reward)).toEqual([0.25]);
    }
  });

  it('of several scorers sum in one order, whichever came first', () => {
    // 0.1 + 0.2 + 0.3 is 0.6000000000000001 from the left and 0.6 from the right.
    const rewards = { a: 0.1, b: 0.2, c: 0.3 };
    const outcomes = ['abc', 'cba', 'bca'].map((order) => {
      const lane = createTestLane();
      const of = attemptOf();
      const verdicts = [...order].map((scorer) => of.verdict(rewards[scorer as 'a'], { scorer }));
      lane.fold(of.start(), of.call(1), ...verdicts, of.end(2));
      const [{ reward, score_id } = { reward: null, score_id: '' }] = lane.effects().rows.decisions;
      return { reward, score_id };
    });
    expect(outcomes.map(({ reward }) => reward)).toEqual([0.6000000000000001, 0.6000000000000001, 0.6000000000000001]);
    expect(new Set(outcomes.map(({ score_id }) => score_id)).size).toBe(1);
  });
});
