import type { Condition } from '../../model/policy.ts';

/** The infrastructure's share of the wall clock is known, and on the side that is asked for. Unknown is on neither side. */
export function holdsOfInfraShare({ infraShareAbove, infraShareAtMost }: Condition, share: number | null): boolean {
  if (infraShareAbove === undefined && infraShareAtMost === undefined) return true;
  if (share === null) return false;
  return (
    share > (infraShareAbove ?? Number.NEGATIVE_INFINITY) && share <= (infraShareAtMost ?? Number.POSITIVE_INFINITY)
  );
}
