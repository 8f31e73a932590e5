import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';

/** A piece of a replay: written when it is planned, and when its rows are written. */
export interface ReplayChunkRow {
  readonly replay_id: string;
  /** -1: what the plan itself refused. */
  readonly chunk: number;
  readonly partition: number;
  /** Records of the partition from this offset on are no part of the replay. */
  readonly end: number;
  /** In order of their bytes, both included. */
  readonly from_unit: string;
  readonly to_unit: string;
  readonly from_rollout: string;
  readonly to_rollout: string;
  readonly units: number;
  readonly events: number;
  readonly state: 'planned' | 'done';
  /** A DiffTally; '' until it is done. */
  readonly tally_json: string;
  readonly refused_json: string;
  /** ms since the epoch. */
  readonly atMs: number;
  readonly version: bigint;
}

const COLUMNS = [
  ...['replay_id', 'chunk', 'partition', 'end', 'from_unit', 'to_unit', 'from_rollout', 'to_rollout', 'units'],
  ...['events', 'state', 'tally_json', 'refused_json', 'at', 'version'],
];

export function encodeReplayChunks(rows: readonly ReplayChunkRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.replay_id);
    writer.int32(row.chunk);
    writer.int32(row.partition);
    writer.int64(row.end);
    writer.string(row.from_unit);
    writer.string(row.to_unit);
    writer.string(row.from_rollout);
    writer.string(row.to_rollout);
    writer.int64(row.units);
    writer.int64(row.events);
    writer.string(row.state);
    writer.string(row.tally_json);
    writer.string(row.refused_json);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return { table: 'replay_chunks', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
