import { expect, it } from 'vitest';
import { answerOf, NO_AUDITS } from '../../../processors/model/audit-summary.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

it('an audit that has not looked is not_auditable, never pass', () => {
  const lane = createTestLane({
    audits: { ...NO_AUDITS, byName: { numbers: () => ({ result: 'fail', findings: [], missing: null }) } },
  });
  lane.fold(...attemptOf().whole(1));
  const [row] = lane.effects().rows.trajectories;
  expect(row?.trajectory.audit).toEqual({
    ...{ tokens: 'not_auditable', template: 'not_auditable', tools: 'not_auditable' },
    ...{ termination: 'not_auditable', numbers: 'fail', wall: 'not_auditable', reencode: 'not_auditable' },
  });
  expect(row?.trajectory.audit_missing).toMatchObject({ tokens: 'it has not looked' });
});

it('what an audit found quarantines the attempt, whatever the verifier said; the rule that did is named', () => {
  const lane = createTestLane({
    audits: {
      ...NO_AUDITS,
      byName: {
        tools: () =>
          answerOf([
            {
              ...{ class: 'silent_repair', severity: 'fail', turn: 0, index: 12 },
              ...{ detail: 'ran {"a":1}, the model wrote {"a":1,}', evidence: { text: '{"a":1,}' } },
            },
          ]),
      },
    },
  });
  lane.fold(...attemptOf().whole(1));
  const [attempt] = lane.effects().rows.decisions;
  expect(attempt).toMatchObject({
    ...{ disposition: 'quarantine', why: ['silent_repair', 'task_complete'], rule: 'findings.silent_repair' },
    ...{ reward: null, reward_valid: false, in_loss: false, in_baseline: false, counts_for_size: false },
  });
  const [row] = lane.effects().rows.trajectories;
  expect(row?.trajectory).toMatchObject({ audit: { tools: 'fail', tokens: 'not_auditable' }, reward: null });
  expect(lane.effects().records.map(({ topic }) => topic)).toEqual(['rejected']);
  const audits = lane
    .effects()
    .rows.audits.map(({ audit, result, class: name, turn, index }) => [audit, result, name, turn, index]);
  expect(audits).toContainEqual(['tools', 'fail', 'silent_repair', 0, 12]);
  expect(audits).toContainEqual(['tokens', 'not_auditable', '', null, null]);
  expect(audits).toHaveLength(7);
});

it('a member that waits for its group since before a restart is audited when the group closes', () => {
  const repairedOf = (name: string) =>
    answerOf(
      name === 'a'
        ? [{ class: 'silent_repair', severity: 'fail', turn: 0, index: 0, detail: 'ran what was not written' }]
        : [],
    );
  const audits = { ...NO_AUDITS, byName: { tools: ({ rolloutId }: { rolloutId: string }) => repairedOf(rolloutId) } };
  const memberOf = (rollout_id: string) => attemptOf({ group_id: 'g', group_size: 2, rollout_id }).whole();
  const before = createTestLane({ audits });
  before.fold(...memberOf('a'));
  const restarted = createTestLane({ audits, progress: before.cut().progress });
  restarted.fold(...memberOf('a'), ...memberOf('b'));
  const decided = restarted.effects().rows.decisions.map(({ rollout_id, why }) => [rollout_id, why[0]]);
  expect(decided).toContainEqual(['a', 'silent_repair']);
  const [a] = restarted.effects().rows.trajectories.filter(({ trajectory }) => trajectory.rollout_id === 'a');
  expect(a?.trajectory.audit.tools).toBe('fail');
});
