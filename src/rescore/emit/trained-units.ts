import type { Store } from '../../clickhouse/port.ts';
import type { PlannedUnit } from './read-plan.ts';

/**
 * Units of which the trainer has trained a member in the history that survives, in any version. Delivery has the last word: what is
 * trained after this look is not taken a second time.
 */
export async function readTrainedUnits(
  store: Pick<Store, 'query'>,
  units: readonly Pick<PlannedUnit, 'runId' | 'unit'>[],
): Promise<Set<string>> {
  const runs = new Map(units.map(({ unit, runId }) => [unit, runId] as const));
  const rows = await store.query<{ run: string; unit: string }>(
    `SELECT DISTINCT toString(run_id) AS run, unit
     FROM rollstream.live_deliveries
     WHERE state = 'trained' AND unit IN {units:Array(String)}`,
    { units: [...runs.keys()] },
  );
  // A run that was forked has books of its own on what it took over.
  return new Set(rows.filter(({ run, unit }) => runs.get(unit) === run).map(({ unit }) => unit));
}
