import type { DeliveryRow } from '../../../../src/clickhouse/tables/deliveries.ts';
import type { DeliveryLeaseRow } from '../../../../src/clickhouse/tables/delivery-leases.ts';
import type { LineageRow } from '../../../../src/clickhouse/tables/lineages.ts';
import type { TrainMatchRow } from '../../../../src/clickhouse/tables/train-match.ts';

const AT = 1_700_000_000_000;

/** Row version of a record of the lease log. */
export const versionOf = (claim: number, seq: number): bigint => BigInt(claim) * 2n ** 40n + BigInt(seq);

/** A trajectory that was trained in step 1: ready at 0 ms, taken at 100, acked at 400. */
export function sampleDelivery(ready_offset: number, init: Partial<DeliveryRow> = {}): DeliveryRow {
  const rollout_id = init.rollout_id ?? `r${ready_offset}`;
  return {
    ...{
      run_id: 'run-1',
      epoch: 0,
      unit: `run-1/0/r/${rollout_id}`,
      rollout_id,
      attempt: 0,
      ready_offset,
      replay_id: '',
    },
    ...{ state: 'trained', lease_id: '1.a.2', lineage: 0, step: 1, consumer: 't', deliveries: 1, reason: '' },
    ...{ weights_version: 'v1', lag: 0, tokens: 10, deadlineMs: null, readyAtMs: AT, takenAtMs: AT + 100 },
    ...{ endedAtMs: AT + 400, waitedMs: 0, atMs: AT + 400, version: versionOf(1, 3) },
    ...init,
  };
}

export function sampleLease(lease_id: string, init: Partial<DeliveryLeaseRow> = {}): DeliveryLeaseRow {
  return {
    ...{ run_id: 'run-1', lease_id, lineage: 0, consumer: 't', key_name: 't', key_index: 0, key_try: 0, dp: 0 },
    ...{ unit: 'group', trajectories: 1, tokens: 10, waitedMs: 0, grantedAtMs: AT + 100, deadlineMs: AT + 300_100 },
    ...{ endedAtMs: null, ended_how: '', step: null, version: versionOf(1, 2) },
    ...init,
  };
}

/** A rewind to step 1 of the lineage before. */
export function sampleLineage(lineage: number, init: Partial<LineageRow> = {}): LineageRow {
  return {
    ...{ run_id: 'run-1', kind: 'rewind', lineage, of_lineage: Math.max(0, lineage - 1), step: 1, request: 'q' },
    ...{ parent: '', inherited: 0, finals: {}, versions: 0, atMs: AT + 1_000, version: versionOf(1, 10 + lineage) },
    ...init,
  };
}

export function sampleMatch(rollout_id: string, init: Partial<TrainMatchRow> = {}): TrainMatchRow {
  return {
    ...{ run_id: 'run-1', epoch: 0, unit: `run-1/0/r/${rollout_id}`, rollout_id, attempt: 0, lineage: '0', step: 1 },
    ...{ kl: null, max_logprob_diff: null, clipped_share: null, atMs: AT + 400, version: versionOf(1, 3) },
    ...init,
  };
}
