import type { PastDecision } from '../../processors/model/attempt.ts';
import type { InRecord } from '../../processors/model/record.ts';
import { lookupDecisions, type UnitRef } from '../clickhouse/decisions-lookup.ts';
import type { Store } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import type { Restored } from './restore.ts';

/** What `decisions` holds of the units that this batch may open: one query. */
export async function pastDecisions(
  store: Store,
  { state, term, ownedBelow }: Restored,
  records: readonly InRecord[],
): Promise<Map<string, PastDecision[]>> {
  const refs = new Map<string, UnitRef>();
  for (const { key } of records) {
    const unit = key?.toString('latin1') ?? '';
    if (state.units.has(unit) || refs.has(unit) || !unit.includes('/')) continue;
    refs.set(unit, { run_id: runOf(unit), unit });
  }
  const found = new Map<string, PastDecision[]>();
  for (const [unit, rows] of await lookupDecisions(store, [...refs.values()])) {
    const owned = rows.filter((row) => row.topic === state.topic && row.partition === state.partition);
    if (owned.some((row) => row.term > term))
      throw new RollstreamError(
        'RS_FENCED',
        `${state.topic}/${state.partition} has another owner: a decision of term ${Math.max(...owned.map((row) => row.term))} is in the store`,
      );
    const past = owned.filter((row) => row.offset < ownedBelow(row.term));
    found.set(
      unit,
      past.map(({ rollout_id, attempt, disposition, category, offset }) => ({
        rolloutId: rollout_id,
        attempt,
        disposition,
        category,
        offset,
      })),
    );
  }
  return found;
}

/** The first part of a unit id. One that cannot be decoded holds a lone surrogate, and is looked up by the unit alone. */
function runOf(unit: string): string {
  try {
    return decodeURIComponent(unit.slice(0, unit.indexOf('/')));
  } catch {
    return '\ud800';
  }
}
