import { type GoneRuns, NO_GONE_RUNS } from '../gone-runs.ts';
import type { DeliveryRows } from './delivery-rows.ts';

/**
 * Rows but for those of deleted runs, asked as they are inserted: some wait since before the deletion. WHO TAKES OVER WRITES THEM
 * AGAIN: 1 a run is deleted, its rows are removed; 2 the process that granted dies before it has forgotten it; 3 its successor makes
 * the rows of all records that it finds.
 */
export function withoutGone(rows: DeliveryRows, gone: GoneRuns): DeliveryRows {
  if (gone === NO_GONE_RUNS) return rows;
  const isThere = ({ run_id }: { readonly run_id: string }): boolean => !gone.isGone(run_id);
  const { deliveries, leases, lineages, matches } = rows;
  return {
    deliveries: deliveries.filter(isThere),
    leases: leases.filter(isThere),
    lineages: lineages.filter(isThere),
    matches: matches.filter(isThere),
  };
}
