import type { RunState } from '../../runs/run-state.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asFloat64, asInt64, asNullableString } from '../value-writers.ts';

/** What was last said of a run. */
export interface RunRow {
  readonly run_id: string;
  readonly state: RunState;
  readonly purpose: string | null;
  readonly note: string;
  readonly events_per_second: number | null;
  readonly in_flight_bytes: number | null;
  /** ms since the epoch. */
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  /** Name of the token; empty: nobody had to say who they are. */
  readonly changed_by: string;
  /** Rows that were removed, by table. */
  readonly removed: Readonly<Record<string, number>>;
  readonly ready_below: number;
  readonly held_below: number;
  readonly gate_seq: number;
  /** Number of the change, from 1. */
  readonly version: number;
}

export function encodeRuns(rows: readonly RunRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.string(row.state);
    asNullableString(writer, row.purpose);
    writer.string(row.note);
    writer.nullable(row.events_per_second, asFloat64);
    writer.nullable(row.in_flight_bytes, asInt64);
    writer.int64(row.createdAtMs);
    writer.int64(row.changedAtMs);
    writer.string(row.changed_by);
    writer.map(row.removed, asInt64);
    writer.int64(row.ready_below);
    writer.int64(row.held_below);
    writer.int64(row.gate_seq);
    writer.uint64(BigInt(row.version));
  }
  return { table: 'runs', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}

const COLUMNS = [
  ...['run_id', 'state', 'purpose', 'note', 'events_per_second', 'in_flight_bytes', 'created_at', 'changed_at'],
  ...['changed_by', 'removed', 'ready_below', 'held_below', 'gate_seq', 'version'],
];
