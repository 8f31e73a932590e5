import type { VerdictStatus } from '../../../schemas/generated/step-event.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asNullableFloat64, asNullableString } from '../value-writers.ts';

/** A verdict that a replay scores with. */
export interface ReplayVerdictRow {
  readonly replay_id: string;
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  /** -1: it judges the whole attempt. */
  readonly turn: number;
  readonly scorer: string;
  readonly scorer_version: string;
  readonly status: VerdictStatus;
  /** null: missing. Null is not 0. */
  readonly rewards: Readonly<Record<string, number | null>>;
  readonly report: string | null;
  /** ms since the epoch. */
  readonly atMs: number;
  readonly version: bigint;
}

const COLUMNS = [
  ...['replay_id', 'run_id', 'epoch', 'unit', 'rollout_id', 'attempt', 'turn', 'scorer', 'scorer_version', 'status'],
  ...['rewards', 'report', 'at', 'version'],
];

export function encodeReplayVerdicts(rows: readonly ReplayVerdictRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.replay_id);
    writer.string(row.run_id);
    writer.int32(row.epoch);
    writer.string(row.unit);
    writer.string(row.rollout_id);
    writer.int32(row.attempt);
    writer.int32(row.turn);
    writer.string(row.scorer);
    writer.string(row.scorer_version);
    writer.string(row.status);
    writer.map(row.rewards, asNullableFloat64);
    asNullableString(writer, row.report);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return { table: 'replay_verdicts', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
