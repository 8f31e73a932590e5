import type { ReadyState } from '../../../processors/model/delivery.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asNullableInt32, asNullableInt64 } from '../value-writers.ts';

/** The last fact about a ready trajectory in a run. Times are ms since the epoch, `waitedMs` is ms. */
export interface DeliveryRow {
  /** The run that it is delivered in: of what a fork took over, the fork. */
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  /** The replay that emitted it; '': as it was decided live. */
  readonly replay_id: string;
  readonly ready_offset: number;
  readonly state: ReadyState;
  /** '': none. */
  readonly lease_id: string;
  readonly lineage: number;
  /** null: not trained. */
  readonly step: number | null;
  readonly consumer: string;
  readonly deliveries: number;
  readonly reason: string;
  /** Weights that the step made; '': none, or not said. */
  readonly weights_version: string;
  /** Lag at use; null: unknown, or not acked. */
  readonly lag: number | null;
  readonly tokens: number;
  /** null: not leased. */
  readonly deadlineMs: number | null;
  readonly readyAtMs: number;
  readonly takenAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly waitedMs: number | null;
  readonly atMs: number;
  /** claim × 2^40 + seq. */
  readonly version: bigint;
}

const COLUMNS = [
  ...['run_id', 'epoch', 'unit', 'rollout_id', 'attempt', 'replay_id', 'ready_offset', 'state', 'lease_id'],
  ...[
    'lineage',
    'step',
    'consumer',
    'deliveries',
    'reason',
    'weights_version',
    'lag',
    'tokens',
    'deadline',
    'ready_at',
    'taken_at',
  ],
  ...['ended_at', 'waited_ms', 'at', 'version'],
];

/** Rows come from records of the lease log that count: read again after a crash they are the same rows. */
export function encodeDeliveries(rows: readonly DeliveryRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.int32(row.epoch);
    writer.string(row.unit);
    writer.string(row.rollout_id);
    writer.int32(row.attempt);
    writer.string(row.replay_id);
    writer.int64(row.ready_offset);
    writer.string(row.state);
    writer.string(row.lease_id);
    writer.int32(row.lineage);
    asNullableInt64(writer, row.step);
    writer.string(row.consumer);
    writer.int32(row.deliveries);
    writer.string(row.reason);
    writer.string(row.weights_version);
    asNullableInt32(writer, row.lag);
    writer.int64(row.tokens);
    asNullableInt64(writer, row.deadlineMs);
    writer.int64(row.readyAtMs);
    asNullableInt64(writer, row.takenAtMs);
    asNullableInt64(writer, row.endedAtMs);
    asNullableInt64(writer, row.waitedMs);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return { table: 'deliveries', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
