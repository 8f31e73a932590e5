import type { TrainedBefore } from '../../../processors/model/delivery-effects.ts';
import type { Store } from '../../clickhouse/port.ts';

/**
 * What rows say was trained of these units, in a run. A run is folded once its rows are inserted, so that what is final has them. As
 * they were written: what a rewind took back is in the books.
 */
export function createLookBack(
  store: Pick<Store, 'query'>,
): (run: string, units: readonly string[]) => Promise<readonly TrainedBefore[]> {
  return (run, units) =>
    store.query<TrainedBefore>(
      `SELECT d.ready_offset AS offset, any(d.unit) AS unit, any(d.rollout_id) AS rollout,
         argMax(d.lineage, d.version) AS lineage, argMax(ifNull(d.step, 0), d.version) AS step
       FROM rollstream.deliveries AS d
       WHERE d.run_id = {run:String} AND d.unit IN {units:Array(String)}
       GROUP BY d.ready_offset
       HAVING argMax(d.state, d.version) = 'trained'`,
      { run, units },
    );
}
