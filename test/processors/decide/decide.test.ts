import { describe, expect, it } from 'vitest';
import { attemptOf, deadlineOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, type TestLane, timeOf } from '../harness.ts';

const recordsOf = (lane: TestLane) => lane.effects().records.map(({ topic, offset }) => [topic, offset]);
const whyOf = (lane: TestLane) => lane.effects().rows.decisions.map(({ disposition, why }) => [disposition, ...why]);

describe('where an attempt goes', () => {
  it('train, train_masked and penalise go to ready; out of the loss means an empty loss mask', () => {
    const ready = (['task_complete', 'timeout'] as const).map((raw) => {
      const lane = createTestLane();
      lane.fold(...attemptOf().whole(1, raw));
      expect(recordsOf(lane)).toEqual([['ready', 3]]);
      const { trajectory } = lane.effects().rows.trajectories[0] ?? {};
      const [segment] = trajectory?.segments ?? [];
      return [
        trajectory?.disposition,
        trajectory?.in_loss,
        trajectory?.in_baseline,
        [...(segment?.loss_mask ?? [])].join(''),
      ];
    });
    expect(ready).toEqual([
      ['train', true, true, '00111'],
      ['train_masked', false, true, '00000'],
    ]);
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(1), of.end(2, 'stuck', 'openhands'), of.verdict(0));
    expect(whyOf(lane)).toEqual([['penalise', 'stuck_loop']]);
    expect(recordsOf(lane)).toEqual([['ready', 3]]);
  });

  it('a fault is asked for again twice, then dropped; never rewarded', () => {
    const lane = createTestLane();
    for (const attempt of [0, 1, 2]) {
      const of = attemptOf({ attempt });
      lane.fold(of.start(), of.call(1), of.verdict(1), of.end(2, 'connection_error'));
    }
    expect(whyOf(lane)).toEqual([
      ['retry', 'retry:llm_error'],
      ['retry', 'retry:llm_error'],
      ['drop', 'llm_error', 'retries_exhausted'],
    ]);
    expect(recordsOf(lane)).toEqual([
      ['retries', 3],
      ['retries', 7],
      ['rejected', 11],
    ]);
    const [first] = lane.effects().records;
    expect(first?.topic === 'retries' && first.retry).toMatchObject({
      ...{ run_id: 'run', rollout_id: 'r', attempt: 0, next_attempt: 1, reason: 'llm_error', offset: 3 },
    });
    expect(lane.effects().rows.decisions.map(({ reward }) => reward)).toEqual([null, null, null]);
  });

  it('is asked for again not before the policy’s back-off, by the append time of the record that closed it', () => {
    const documents = documentsOf(
      policyText(
        ['retries: 2\n', 'retries: 3\n'],
        ['{ first_ms: 1000, factor: 2, most_ms: 60000 }', '{ first_ms: 1500, factor: 3, most_ms: 10000 }'],
      ),
    );
    const lane = createTestLane({ documents });
    const lost = [0, 1, 2].map((attempt) => attemptOf({ attempt }));
    for (const of of lost) lane.fold(of.start(), of.end(1, 'connection_error'));
    const asked = lane.effects().records.flatMap((record) => (record.topic === 'retries' ? [record.retry] : []));
    expect(asked.map(({ next_attempt, not_before }) => [next_attempt, not_before])).toEqual([
      [1, (timeOf(1) + 1500) * 1000],
      [2, (timeOf(3) + 4500) * 1000],
      // 1500 × 3² = 13,500 is more than the most.
      [3, (timeOf(5) + 10_000) * 1000],
    ]);
  });

  it('what was not asked for again is already_decided', () => {
    const lane = createTestLane();
    lane.fold(...attemptOf().whole(1), ...attemptOf({ attempt: 1 }).whole(1));
    expect(lane.effects().rows.step_faults.map(({ reason }) => reason)).toEqual(Array(3).fill('already_decided'));
    expect(lane.effects().rows.verdicts.at(-1)).toMatchObject({ late: true });
    expect(recordsOf(lane)).toEqual([['ready', 3]]);
  });

  it('without token ids it is never trained: no_tokens, and still in SQL (case 91)', () => {
    const of = attemptOf();
    const without = [
      [of.start(), of.end(1), of.verdict(1)],
      [of.start(), of.call(1, { prompt: null, sampled: null, logprobs: null }), of.end(2), of.verdict(1)],
      [of.start(), of.call(1, { sampled: [] }), of.end(2), of.verdict(1)],
      // One call of two came without its ids: the sequence cannot be whole.
      [of.start(), of.call(1), of.call(2, { prompt: null, sampled: null, logprobs: null }), of.end(3), of.verdict(1)],
    ];
    for (const events of without) {
      const lane = createTestLane();
      lane.fold(...events);
      expect(whyOf(lane)).toEqual([['drop', 'no_tokens', 'task_complete']]);
      expect(recordsOf(lane)).toEqual([['rejected', events.length - 1]]);
      expect(lane.effects().rows.decisions[0]).toMatchObject({ reward: 1, in_loss: false, in_baseline: false });
    }
  });

  it('a call that failed has no tokens to miss', () => {
    const of = attemptOf();
    const failed = { prompt: null, sampled: null, logprobs: null, error: { type: 'Timeout', message: null } };
    const lane = createTestLane();
    lane.fold(of.start(), of.call(1, failed), of.call(2), of.end(3), of.verdict(1));
    expect(whyOf(lane)).toEqual([['train', 'task_complete']]);
  });

  it('of a run that does not train never reaches ready', () => {
    for (const purpose of ['eval', 'synthesis', 'unknown'] as const) {
      const lane = createTestLane();
      lane.fold(...attemptOf({ purpose }).whole(1));
      expect(whyOf(lane)).toEqual([['drop', 'purpose', 'task_complete']]);
      expect(recordsOf(lane)).toEqual([['rejected', 3]]);
    }
  });

  it('waits for a verdict where the policy does, and for nothing where it does not', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(1), of.end(2));
    expect(whyOf(lane)).toEqual([]);
    lane.fold(of.verdict(0.5));
    expect(lane.effects().rows.decisions[0]).toMatchObject({ disposition: 'train', reward: 0.5, offset: 3 });
  });

  it('a verifier that hangs holds up nobody else (case 95)', () => {
    const lane = createTestLane();
    const ids = Array.from({ length: 8 }, (_, i) => `r${i}`);
    for (const rollout_id of ids) {
      const of = attemptOf({ rollout_id });
      lane.fold(...(rollout_id === 'r3' ? of.whole().slice(0, 3) : of.whole(1)));
    }
    expect(recordsOf(lane)).toHaveLength(7);
    const unit = 'run/0/r/r3';
    lane.fold(deadlineOf('verdict_missing', { unit, unit_start: 12, rollout_id: 'r3', saw: '2/3' }));
    expect(whyOf(lane).at(-1)).toEqual(['quarantine', 'reward_missing', 'task_complete']);
  });
});

describe('a decision', () => {
  it('is one row that says by which documents, from which record to which, and when', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(...attemptOf({ rollout_id: 'other' }).whole(), of.start({ started_at: 5_000_000 }), of.call(1));
    lane.fold(of.end(2, 'task_complete', 'strands-env', { ended_at: 9_000_000 }), of.verdict(1));
    const [, decision] = lane.effects().rows.decisions;
    expect(decision).toMatchObject({
      ...{ unit: 'run/0/r/r', replay_id: '', first_offset: 4, offset: 7, partition: 0 },
      ...{ started_at: 5_000_000, ended_at: 9_000_000, decided_at: timeOf(7) * 1000, n_turns: 1, lag: null },
      policy_id: lane.state.inForce.policy_id,
      taxonomy_id: lane.state.inForce.taxonomy_id,
    });
  });

  it('has the rewards it was made from, named and null where nothing was said, and an audit row an audit', () => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(
      of.start(),
      of.call(1),
      of.verdict(0.5),
      of.verdict(null, { scorer: 'silent', status: 'not_run', rewards: {} }),
    );
    lane.fold(of.end(2));
    const { rewards, audits } = lane.effects().rows;
    expect(rewards.map(({ scorer, component, value, status }) => [scorer, component, value, status])).toEqual([
      ['scorer', 'reward', 0.5, 'scored'],
      ['silent', '', null, 'not_run'],
    ]);
    expect(audits.map(({ audit, result }) => [audit, result])).toEqual(
      ['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'].map((audit) => [
        audit,
        'not_auditable',
      ]),
    );
  });

  it('scored by the same documents and scorers has the same score_id; another verifier’s version has another (case 102)', () => {
    const scoreOf = (scorer_version: string, reward: number) => {
      const lane = createTestLane();
      const of = attemptOf();
      lane.fold(of.start(), of.call(1), of.end(2), of.verdict(reward, { scorer_version }));
      return lane.effects().rows.decisions[0]?.score_id;
    };
    expect(scoreOf('1', 0)).toBe(scoreOf('1', 0));
    expect(scoreOf('2', 1)).not.toBe(scoreOf('1', 0));
  });
});
