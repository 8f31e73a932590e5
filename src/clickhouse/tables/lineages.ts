import type { ReadyState } from '../../../processors/model/delivery.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asInt64 } from '../value-writers.ts';

/** A checkpoint that was sealed, a rewind to one, or a fork of one. */
export interface LineageRow {
  /** Of a fork the new run. */
  readonly run_id: string;
  readonly kind: 'rewind' | 'fork' | 'seal';
  /** Of a rewind the one that it opened, of a seal the one that it was saved in, of a fork 0. */
  readonly lineage: number;
  /** Lineage of the checkpoint. */
  readonly of_lineage: number;
  readonly step: number;
  /** '': a seal. */
  readonly request: string;
  /** Of a fork; else ''. */
  readonly parent: string;
  /** Of a fork: trajectories that it took over; else 0. */
  readonly inherited: number;
  /**
   * Of a fork, by state: those of `inherited` that were final, `counts` of its head; else empty. The others have rows of their own in
   * `deliveries`, queued ones too: without that its books do not balance.
   */
  readonly finals: Readonly<Partial<Record<ReadyState, number>>>;
  /** Of a fork: versions before those that it announces itself, so highest `ordinal` of its head's `inherited` + 1; else 0. */
  readonly versions: number;
  /** ms since the epoch. */
  readonly atMs: number;
  /** claim × 2^40 + seq. */
  readonly version: bigint;
}

const COLUMNS = [
  ...['run_id', 'kind', 'lineage', 'of_lineage', 'step', 'request', 'parent', 'inherited', 'finals', 'versions', 'at'],
  'version',
];

export function encodeLineages(rows: readonly LineageRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.run_id);
    writer.string(row.kind);
    writer.int32(row.lineage);
    writer.int32(row.of_lineage);
    writer.int64(row.step);
    writer.string(row.request);
    writer.string(row.parent);
    writer.int64(row.inherited);
    writer.map(row.finals, asInt64);
    writer.int64(row.versions);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return {
    table: 'lineages',
    columns: COLUMNS,
    rowCount: rows.length,
    rowBinary: writer.bytes,
  };
}
