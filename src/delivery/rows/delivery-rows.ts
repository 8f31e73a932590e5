import type { DeliveryRow } from '../../clickhouse/tables/deliveries.ts';
import type { DeliveryLeaseRow } from '../../clickhouse/tables/delivery-leases.ts';
import type { LineageRow } from '../../clickhouse/tables/lineages.ts';
import type { TrainMatchRow } from '../../clickhouse/tables/train-match.ts';

/** What a record of ready.leases says, as rows. */
export interface DeliveryRows {
  readonly deliveries: DeliveryRow[];
  readonly leases: DeliveryLeaseRow[];
  readonly lineages: LineageRow[];
  readonly matches: TrainMatchRow[];
}

export function noRows(): DeliveryRows {
  return { deliveries: [], leases: [], lineages: [], matches: [] };
}

export function rowCount({ deliveries, leases, lineages, matches }: DeliveryRows): number {
  return deliveries.length + leases.length + lineages.length + matches.length;
}
