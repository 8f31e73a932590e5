import { RollstreamError } from '../../errors.ts';
import type { PlannedTopic } from './topic-plan.ts';

/** Nothing that exists is changed here: `topics apply` is asked for by a person. */
export function refuseFaults(plan: readonly PlannedTopic[]): void {
  const wrong = plan.filter(({ action }) => action === 'change' || action === 'refuse');
  const faults = wrong.flatMap(({ topic, findings }) =>
    findings.filter(({ kind }) => kind !== 'advice').map(({ text }) => `${topic}: ${text}`),
  );
  if (faults.length === 0) return;
  throw new RollstreamError('RS_CONFIG', `${faults.join('; ')} (\`rollstream topics plan\` says what can be done)`, {
    facts: { topics: wrong.map(({ topic }) => topic).join(',') },
  });
}
