import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';

/** A trajectory that a replay wrote to a topic. */
export interface ReplayEmittedRow {
  readonly replay_id: string;
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly topic: string;
  /** Place in the order in which the replay emits, from 0. */
  readonly position: number;
  /** ms since the epoch. */
  readonly atMs: number;
  readonly version: bigint;
}

const COLUMNS = [
  ...['replay_id', 'run_id', 'epoch', 'unit', 'rollout_id', 'attempt', 'topic', 'position', 'at', 'version'],
];

/** Written after the transaction of the records; a replay that goes on writes those of the last batch again. */
export function encodeReplayEmitted(rows: readonly ReplayEmittedRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.replay_id);
    writer.string(row.run_id);
    writer.int32(row.epoch);
    writer.string(row.unit);
    writer.string(row.rollout_id);
    writer.int32(row.attempt);
    writer.string(row.topic);
    writer.int64(row.position);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return { table: 'replay_emitted', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
