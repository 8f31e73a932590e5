import type { Reason } from '../../../schemas/generated/trajectory.ts';
import type { Condition } from '../../model/policy.ts';

/** The reason that decided was a time-out or out-of-memory of one of these. One that was neither has no attribution. */
export function holdsOfAttribution({ attribution }: Condition, reason: Reason | null): boolean {
  if (attribution === undefined) return true;
  return attribution.some((name) => name === reason?.attribution);
}
