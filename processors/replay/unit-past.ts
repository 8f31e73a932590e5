import { attemptKey, type Cause } from '../model/attempt.ts';
import type { Audited } from '../model/audit-summary.ts';
import type { Decoded } from '../model/record.ts';
import type { ComparedDecision, UnitHistory } from '../model/replay.ts';
import type { Hindsight } from './hindsight.ts';

/** What was known of the unit that is replayed, and what is known now. */
export interface UnitPast {
  /** By `attemptKey`. */
  readonly decided: ReadonlyMap<string, ComparedDecision>;
  readonly audited: ReadonlyMap<string, Audited>;
  /** null: nothing is known that was not then. */
  readonly hindsight: Hindsight | null;
  /** The record that decided the attempt then; of one that was not, the last about the unit. */
  causeOf(attempt: string): Cause;
  /** The last record about the unit: its own, or that of its last decision. */
  lastCause(): Cause;
}

export function createUnitPast(
  { decided: decisions, audited, records }: UnitHistory,
  hindsight: Hindsight | null,
  endings: readonly Decoded[] = [],
): UnitPast {
  const decided = new Map<string, ComparedDecision>();
  let lastDecided = -1;
  for (const decision of decisions) {
    decided.set(attemptKey(decision.rollout_id, decision.attempt), decision);
    if (decision.offset > lastDecided) lastDecided = decision.offset;
  }
  const lastRecord = records.at(-1)?.cause ?? NEVER;
  const lastCause = (): Cause => (lastDecided > lastRecord.offset ? causeAt(lastDecided) : lastRecord);
  /** A decision has the offset of a record of its unit, or of a producer's end. */
  const causeAt = (offset: number): Cause => ({
    offset,
    appendedAtMs: (recordAt(records, offset) ?? recordAt(endings, offset) ?? lastRecord).appendedAtMs,
  });
  return {
    decided,
    audited,
    hindsight,
    lastCause,
    causeOf(attempt) {
      const decision = decided.get(attempt);
      return decision === undefined ? lastCause() : causeAt(decision.offset);
    },
  };
}

const NEVER: Cause = { offset: -1, appendedAtMs: 0 };

function recordAt(records: readonly Decoded[], offset: number): Cause | null {
  let low = 0;
  let high = records.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const cause = records[middle]?.cause ?? NEVER;
    if (cause.offset === offset) return cause;
    if (cause.offset < offset) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}
