import type { DeliveryUnit, ReadyState } from '../../../processors/model/delivery.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asNullableInt64 } from '../value-writers.ts';

/** A grant by its last word: granted, extended or ended. Times are ms since the epoch, `waitedMs` is ms. */
export interface DeliveryLeaseRow {
  readonly run_id: string;
  readonly lease_id: string;
  readonly lineage: number;
  readonly consumer: string;
  /** Replica or consumer, or 'step'. */
  readonly key_name: string;
  readonly key_index: number;
  readonly key_try: number;
  /** 0: no step lease. */
  readonly dp: number;
  readonly unit: DeliveryUnit;
  readonly trajectories: number;
  readonly tokens: number;
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly deadlineMs: number;
  /** null: it has not ended. */
  readonly endedAtMs: number | null;
  readonly ended_how: '' | ReadyState;
  /** null: not trained. */
  readonly step: number | null;
  /** claim × 2^40 + seq. */
  readonly version: bigint;
}

const COLUMNS = [
  ...['run_id', 'lease_id', 'lineage', 'consumer', 'key_name', 'key_index', 'key_try', 'dp', 'unit', 'trajectories'],
  ...['tokens', 'waited_ms', 'granted_at', 'deadline', 'ended_at', 'ended_how', 'step', 'version'],
];

export function encodeDeliveryLeases(rows: readonly DeliveryLeaseRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.string(row.lease_id);
    writer.int32(row.lineage);
    writer.string(row.consumer);
    writer.string(row.key_name);
    writer.int64(row.key_index);
    writer.int32(row.key_try);
    writer.int32(row.dp);
    writer.string(row.unit);
    writer.int32(row.trajectories);
    writer.int64(row.tokens);
    writer.int64(row.waitedMs);
    writer.int64(row.grantedAtMs);
    writer.int64(row.deadlineMs);
    asNullableInt64(writer, row.endedAtMs);
    writer.string(row.ended_how);
    asNullableInt64(writer, row.step);
    writer.uint64(row.version);
  }
  return { table: 'delivery_leases', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
