import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';

/** A held trajectory that the forwarder moves to ready. */
export interface ReleasedRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  /** Offset in the held topic. */
  readonly held_offset: number;
  /** ms since the epoch. */
  readonly atMs: number;
}

/** Written before the transaction that moves them: no lane owns them, and the same row again changes nothing. */
export function encodeReleased(rows: readonly ReleasedRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.int32(row.epoch);
    writer.string(row.unit);
    writer.string(row.rollout_id);
    writer.int32(row.attempt);
    writer.int64(row.held_offset);
    writer.int64(row.atMs * 1000);
  }
  return {
    table: 'released',
    columns: ['run_id', 'epoch', 'unit', 'rollout_id', 'attempt', 'held_offset', 'at'],
    rowCount: rows.length,
    rowBinary: writer.bytes,
  };
}
