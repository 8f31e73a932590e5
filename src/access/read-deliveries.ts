import type { Store } from '../clickhouse/port.ts';
import type { DeliveryJson } from './explanation.ts';

interface Place {
  readonly runId: string;
  readonly unit: string;
  readonly rolloutId: string;
}

const COLUMNS =
  "* EXCEPT (version), toBool(state = 'queued' AND recorded_state = 'leased' AND ifNull(deadline <= now64(3), false)) AS ran_out";

/** What became of a rollout's attempts in delivery, in its run first, then in forks that took it over. */
export function readDeliveries(
  store: Pick<Store, 'query'>,
  { runId, unit, rolloutId }: Place,
): Promise<Array<DeliveryJson & { readonly attempt: number }>> {
  return store.query(
    `SELECT ${COLUMNS} FROM rollstream.live_deliveries
     WHERE (run_id = {run:String} OR run_id IN (SELECT run_id FROM rollstream.lineages WHERE kind = 'fork'))
       AND unit = {unit:String} AND rollout_id = {rollout:String}
     ORDER BY run_id != {run:String}, run_id, ready_offset`,
    { run: runId, unit, rollout: rolloutId },
  );
}
