import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asNullableFloat64 } from '../value-writers.ts';

/** What a trainer measured of a trajectory in a step; null: not reported. */
export interface TrainMatchRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly lineage: string;
  readonly step: number;
  /** nats a token. */
  readonly kl: number | null;
  /** nats. */
  readonly max_logprob_diff: number | null;
  /** 0 to 1. */
  readonly clipped_share: number | null;
  /** ms since the epoch. */
  readonly atMs: number;
  /** claim × 2^40 + seq. */
  readonly version: bigint;
}

const COLUMNS = [
  ...['run_id', 'epoch', 'unit', 'rollout_id', 'attempt', 'lineage', 'step', 'kl', 'max_logprob_diff'],
  ...['clipped_share', 'at', 'version'],
];

export function encodeTrainMatch(rows: readonly TrainMatchRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.int32(row.epoch);
    writer.string(row.unit);
    writer.string(row.rollout_id);
    writer.int32(row.attempt);
    writer.string(row.lineage);
    writer.int64(row.step);
    asNullableFloat64(writer, row.kl);
    asNullableFloat64(writer, row.max_logprob_diff);
    asNullableFloat64(writer, row.clipped_share);
    writer.int64(row.atMs * 1000);
    writer.uint64(row.version);
  }
  return { table: 'train_match', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
