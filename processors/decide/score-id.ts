import { hash } from 'node:crypto';
import type { Attempt } from '../model/attempt.ts';
import type { InForce } from '../model/control.ts';
import { countingVerdicts } from '../model/counting-verdicts.ts';

/** The same attempt scored by the same documents and scorers has the same id. A verdict that does not count is no scorer of it. */
export function scoreIdOf(attempt: Attempt, inForce: InForce): string {
  const { run_id, epoch, rollout_id, attempt: number } = attempt.identity;
  const scorers = countingVerdicts(attempt.verdicts).map(({ scorer, scorerVersion, boundTo }) => [
    scorer,
    scorerVersion,
    boundTo,
  ]);
  const parts = [run_id, epoch, rollout_id, number, inForce.policy_id, inForce.taxonomy_id, scorers];
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);
}
