import type { GateState } from '../../../processors/model/gate.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asString } from '../value-writers.ts';

/** A change of the gate of a run. */
export interface GateRow {
  readonly run_id: string;
  /** From 1, by run: the highest is the last. */
  readonly seq: number;
  readonly state: GateState;
  readonly by: 'evaluator' | 'release' | 'set';
  readonly classes: readonly string[];
  readonly why_json: string;
  /** Trajectories decided before are not looked at again, ms since the epoch. */
  readonly windowFromMs: number;
  /** ms since the epoch. */
  readonly atMs: number;
}

/** Written before the events that lanes obey: 1 the events are written, the process dies; 2 nobody could say why it holds. */
export function encodeGates(rows: readonly GateRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.int64(row.seq);
    writer.string(row.state);
    writer.string(row.by);
    writer.array(row.classes, asString);
    writer.string(row.why_json);
    writer.int64(row.windowFromMs * 1000);
    writer.int64(row.atMs * 1000);
  }
  return {
    table: 'gates',
    columns: ['run_id', 'seq', 'state', 'by', 'classes', 'why_json', 'window_from', 'at'],
    rowCount: rows.length,
    rowBinary: writer.bytes,
  };
}
