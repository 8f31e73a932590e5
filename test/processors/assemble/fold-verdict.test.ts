import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VerdictInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, deadlineOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, type TestLane } from '../harness.ts';

const of = attemptOf();
let ids = 0;
const verdict = (reward: number | null, over: Partial<VerdictInit> = {}) =>
  of.verdict(reward, over, { event_id: `verdict ${ids++}` });
const attempt = [of.start(), of.call(1), of.end(2)];
const decisions = (lane: TestLane) =>
  lane.effects().rows.decisions.map(({ reward, disposition, conflicts }) => ({ reward, disposition, conflicts }));
const faults = (lane: TestLane) => lane.effects().rows.step_faults.map(({ reason }) => reason);

describe('the verdicts of an attempt', () => {
  it('count the same before the end and after it', () => {
    const rewards = [0, 1, 2, 3].map((at) => {
      const lane = createTestLane();
      lane.fold(...attempt.slice(0, at), verdict(0.25), ...attempt.slice(at));
      return decisions(lane)[0]?.reward;
    });
    expect(rewards).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('of one scorer: the higher version counts, whichever came first; both are kept, one is told (case 102)', () => {
    for (const versions of [
      ['9', '10'],
      ['10', '9'],
    ]) {
      const lane = createTestLane();
      lane.fold(
        of.start(),
        ...versions.map((version) => verdict(version === '10' ? 1 : 0, { scorer_version: version })),
        of.call(1),
        of.end(2),
      );
      expect(decisions(lane)).toEqual([{ reward: 1, disposition: 'train', conflicts: [] }]);
      const { rows } = lane.effects();
      expect(rows.verdicts.map(({ late }) => late)).toEqual([false, false]);
      expect(rows.trajectories[0]?.trajectory.verdicts?.map(({ scorer_version }) => scorer_version)).toEqual(['10']);
      expect(rows.rewards.map(({ scorer_version, value }) => [scorer_version, value])).toEqual([['10', 1]]);
      expect(faults(lane)).toEqual([]);
    }
  });

  it('of one version, 1 and then 0: the first counts, the scorer is flagged verifier_nondeterministic (cases 101, 103)', () => {
    const lane = createTestLane();
    lane.fold(of.start(), of.call(1), verdict(1), verdict(1), verdict(0), of.end(2));
    expect(decisions(lane)).toEqual([
      {
        reward: 1,
        disposition: 'train',
        conflicts: ['verifier_nondeterministic: scorer@1 gave two answers, the first counts'],
      },
    ]);
    expect(faults(lane)).toEqual(['duplicate', 'conflicting_duplicate']);
  });

  it('of one version that differ while a group waits are flagged too, after a restart and without one (case 103)', () => {
    const [a, b] = ['a', 'b'].map((rollout_id) => attemptOf({ group_id: 'g', group_size: 2, rollout_id }));
    if (a === undefined || b === undefined) throw new Error('two of two');
    const lane = createTestLane();
    lane.fold(...a.whole(1));
    lane.fold(a.verdict(0, {}, { event_id: 'another' }));
    lane.fold(...b.whole(0));
    expect(decisions(lane).map(({ conflicts }) => conflicts.length)).toEqual([1, 0]);
  });

  it('of a fenced attempt are ignored, and counted as late', () => {
    const lane = createTestLane();
    const next = attemptOf({ attempt: 1 });
    lane.fold(of.start(), next.start(), verdict(1), next.call(1), next.end(2), next.verdict(0));
    expect(decisions(lane).map(({ reward, disposition }) => [disposition, reward])).toEqual([
      ['superseded', null],
      ['train', 0],
    ]);
    expect(lane.effects().rows.verdicts.map(({ late }) => late)).toEqual([true, false]);
  });

  it('that come after closing change nothing and are kept, marked late, for a replay (case 102)', () => {
    const lane = createTestLane();
    lane.fold(...attempt, verdict(0), verdict(1, { scorer_version: '2' }));
    expect(decisions(lane).map(({ reward }) => reward)).toEqual([0]);
    expect(lane.effects().rows.verdicts.map(({ late, event }) => [event.verdict?.scorer_version, late])).toEqual([
      ['1', false],
      ['2', true],
    ]);
  });

  it('that never come are a fault of the verifier by deadline: quarantined for scoring again, never 0 (case 95)', () => {
    const lane = createTestLane();
    lane.fold(...attempt);
    lane.fold(deadlineOf('verdict_missing', { unit: 'run/0/r/r', unit_start: 0, rollout_id: 'r', saw: '2/3' }));
    const [decision] = lane.effects().rows.decisions;
    expect(decision).toMatchObject({
      ...{ disposition: 'quarantine', reward: null, reward_valid: false, category: 'completion' },
      why: ['reward_missing', 'task_complete'],
    });
  });

  it('about turns are summed where the policy says so, and stand on their turns in any case', () => {
    const sum = documentsOf(policyText(['group:\n', 'reward: { turns: sum }\ngroup:\n']));
    for (const [documents, reward] of [
      [undefined, 1],
      [sum, 1.75],
    ] as const) {
      const lane = createTestLane(documents === undefined ? {} : { documents });
      const turns = [verdict(0.5, { bound_to: 0 }), verdict(0.25, { bound_to: 1 })];
      const second = of.call(2, { prompt_prefix_len: 5, prompt: [30], sampled: [31] });
      lane.fold(of.start(), of.call(1), second, ...turns, of.end(3), verdict(1));
      const trajectory = lane.effects().rows.trajectories[0]?.trajectory;
      expect(trajectory?.reward).toBe(reward);
      expect(trajectory?.turns.map((turn) => turn.reward)).toEqual([0.5, 0.25]);
    }
  });

  it('about another run, or nobody’s rollout, reach no attempt: an orphan, and a record that is refused', () => {
    const lane = createTestLane();
    lane.fold(...attempt, attemptOf({ run_id: 'another' }).verdict(1));
    expect(decisions(lane)).toEqual([]);
    expect([...lane.state.units.keys()]).toEqual(['run/0/r/r', 'another/0/r/r']);
    lane.fold(deadlineOf('orphan', { unit: 'another/0/r/r', unit_start: 3, rollout_id: 'r', saw: '-1/1' }));
    expect(faults(lane)).toEqual(['orphan']);
    lane.fold(of.verdict(1, {}, { rollout_id: '', event_id: 'of nobody' }));
    expect(lane.effects().rows.dead_letters.map(({ fault }) => [fault.code, fault.field])).toEqual([
      ['invalid_field', 'rollout_id'],
    ]);
    expect(lane.effects().rows.attempts).toHaveLength(1);
  });

  it('decide the same in whatever order they come, if no version answers twice', () => {
    const verdicts = [
      verdict(0.1, { scorer: 'a' }),
      verdict(0.2, { scorer: 'b', scorer_version: '2' }),
      verdict(0.7, { scorer: 'b', scorer_version: '10' }),
      verdict(0.3, { scorer: 'c', rewards: { reward: 0.3, tidy: 0.6 } }),
      verdict(0.4, { scorer: 'a', bound_to: 0 }),
    ];
    const outcomeOf = (order: readonly (typeof verdicts)[number][]) => {
      const lane = createTestLane();
      lane.fold(of.start(), of.call(1), ...order, of.end(2));
      const { trajectory } = lane.effects().rows.trajectories[0] ?? {};
      return { ...trajectory, last_offset: 0 };
    };
    const expected = outcomeOf(verdicts);
    expect(expected.reward).toBeCloseTo(0.1 + 0.7 + 0.3 + 0.6, 15);
    fc.assert(
      fc.property(fc.shuffledSubarray(verdicts, { minLength: verdicts.length }), (order) => {
        expect(outcomeOf(order)).toEqual(expected);
      }),
    );
  });
});
