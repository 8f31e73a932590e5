import { from } from 'rxjs';
import { expect, it } from 'vitest';
import { createAudits } from '../../../processors/audit/audits.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

it('an audit that has not looked is not_auditable, never pass', () => {
  const lane = createTestLane();
  lane.fold(attemptOf().start());
  const [unit] = lane.state.units.values();
  const [attempt] = unit?.attempts.values() ?? [];
  if (attempt === undefined) throw new Error('nothing is open');
  const cause = { offset: 0, appendedAtMs: 0 };
  from([[{ kind: 'whole', attempt, cause } as const]])
    .pipe(createAudits({ numbers: () => 'fail' }))
    .subscribe();
  expect(attempt.audit).toEqual({
    ...{ tokens: 'not_auditable', template: 'not_auditable', tools: 'not_auditable' },
    ...{ termination: 'not_auditable', numbers: 'fail', wall: 'not_auditable' },
  });
});
