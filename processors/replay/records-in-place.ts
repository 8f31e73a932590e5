import { attemptKey } from '../model/attempt.ts';
import type { Decoded } from '../model/record.ts';
import type { NewVerdict, UnitHistory } from '../model/replay.ts';
import { askedBy } from './asked-by.ts';

/**
 * LATE IS WHAT COMES WHEN ITS ATTEMPT IS DECIDED, under a replay as live: a verdict that was late stands where it came. Under
 * the same documents it is late again. 1 a policy that does not wait decides @8; 2 the verdict @9 is late; 3 one that waits
 * decides @9, as a lane under it would have. What is answered anew is left out.
 */
export function recordsInPlace(
  records: readonly Decoded[],
  { lateVerdicts, newVerdicts }: Pick<UnitHistory, 'lateVerdicts' | 'newVerdicts'>,
): readonly Decoded[] {
  const late = lateVerdicts.filter((record) => !isAnew(newVerdicts, record));
  if (late.length === 0) return records;
  return [...records, ...late].sort((a, b) => a.cause.offset - b.cause.offset);
}

function isAnew(newVerdicts: readonly NewVerdict[], { event }: Decoded): boolean {
  const { verdict } = event;
  if (verdict === null) return false;
  const key = attemptKey(event.rollout_id, event.attempt);
  return newVerdicts.some(
    (one) => attemptKey(one.rolloutId, one.attempt) === key && askedBy(one.verdict) === askedBy(verdict),
  );
}
