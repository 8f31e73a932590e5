import type { ReplayState } from '../../rescore/replays.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asNullableInt64 } from '../value-writers.ts';

/** A replay and how far it is. Times are ms since the epoch. */
export interface ReplayRow {
  readonly replay_id: string;
  readonly label: string;
  readonly state: ReplayState;
  readonly request_json: string;
  /** '': the one that decided then. */
  readonly policy_id: string;
  readonly taxonomy_id: string;
  /** '': live. */
  readonly against: string;
  readonly saved: boolean;
  /** '': nothing is emitted. */
  readonly emit_topic: string;
  readonly chunks: number;
  readonly chunks_done: number;
  readonly units: number;
  readonly units_done: number;
  readonly attempts: number;
  readonly changed: number;
  /** Rollouts. */
  readonly refused: number;
  readonly emitted: number;
  /** '' until it is done. */
  readonly report_json: string;
  /** '': nothing ended it. */
  readonly error: string;
  readonly startedAtMs: number;
  /** null: it works. */
  readonly endedAtMs: number | null;
  readonly atMs: number;
  /** Counts up: of two rows of a replay the higher is the last. */
  readonly version: bigint;
}

const COLUMNS = [
  ...['replay_id', 'label', 'state', 'request_json', 'policy_id', 'taxonomy_id', 'against', 'saved', 'emit_topic'],
  ...['chunks', 'chunks_done', 'units', 'units_done', 'attempts', 'changed', 'refused', 'emitted', 'report_json'],
  ...['error', 'started_at', 'ended_at', 'at', 'version'],
];

export function encodeReplays(rows: readonly ReplayRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.replay_id);
    writer.string(row.label);
    writer.string(row.state);
    writer.string(row.request_json);
    writer.string(row.policy_id);
    writer.string(row.taxonomy_id);
    writer.string(row.against);
    writer.bool(row.saved);
    writer.string(row.emit_topic);
    writer.int64(row.chunks);
    writer.int64(row.chunks_done);
    writer.int64(row.units);
    writer.int64(row.units_done);
    writer.int64(row.attempts);
    writer.int64(row.changed);
    writer.int64(row.refused);
    writer.int64(row.emitted);
    writer.string(row.report_json);
    writer.string(row.error);
    writer.int64(row.startedAtMs);
    asNullableInt64(writer, row.endedAtMs);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return { table: 'replays', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
