import { from } from 'rxjs';
import { expect, it } from 'vitest';
import { createAudits } from '../../../processors/audit/audits.ts';
import { answerOf, NO_AUDITS } from '../../../processors/model/audit-summary.ts';
import { scoreOf } from '../../../processors/score/score.ts';
import { attemptOf } from '../events.ts';
import { createTestLane, documentsOf } from '../harness.ts';

it('an audit that has not looked is not_auditable, never pass', () => {
  const lane = createTestLane();
  lane.fold(attemptOf().start());
  const [unit] = lane.state.units.values();
  const [attempt] = unit?.attempts.values() ?? [];
  if (attempt === undefined) throw new Error('nothing is open');
  const cause = { offset: 0, appendedAtMs: 0 };
  const scored = scoreOf(attempt, documentsOf().taxonomyOf(lane.state.inForce.taxonomy_id));
  from([[{ kind: 'whole', attempt, cause } as const]])
    .pipe(
      createAudits(
        { ...NO_AUDITS, byName: { numbers: () => ({ result: 'fail', findings: [], missing: null }) } },
        () => scored,
      ),
    )
    .subscribe();
  expect(attempt.audited?.summary).toEqual({
    ...{ tokens: 'not_auditable', template: 'not_auditable', tools: 'not_auditable' },
    ...{ termination: 'not_auditable', numbers: 'fail', wall: 'not_auditable', reencode: 'not_auditable' },
  });
  expect(attempt.audited?.missing.tokens).toBe('it has not looked');
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
