import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';

export interface OpenAttempt {
  readonly run_id: string;
  readonly epoch: number;
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
}

/** What a lane holds as of its frontier. */
export interface LaneRow {
  readonly partition: number;
  /** First offset that no committed cut has read. */
  readonly frontier: number;
  /** First offset of the oldest open unit. */
  readonly watermark: number;
  /** Attempts started and not decided below the frontier. */
  readonly open: readonly OpenAttempt[];
}

const columns: readonly Column<LaneRow>[] = [
  column('topic', (w, _row, owner) => w.string(owner.topic)),
  column('partition', (w, row) => w.int32(row.partition)),
  column('term', (w, _row, owner) => w.uint32(owner.term)),
  column('frontier', (w, row) => w.int64(row.frontier)),
  column('watermark', (w, row) => w.int64(row.watermark)),
  column('open.run_id', (w, row) => w.array(row.open, (x, open) => x.string(open.run_id))),
  column('open.epoch', (w, row) => w.array(row.open, (x, open) => x.int32(open.epoch))),
  column('open.unit', (w, row) => w.array(row.open, (x, open) => x.string(open.unit))),
  column('open.rollout_id', (w, row) => w.array(row.open, (x, open) => x.string(open.rollout_id))),
  column('open.attempt', (w, row) => w.array(row.open, (x, open) => x.int32(open.attempt))),
  column('version', (w, row, owner) => w.version(owner.term, row.frontier)),
];

export const lanesTable: Table<LaneRow> = { name: 'lanes', columns };

/** Written with every flush, last; the first of a term when its rebuild ends, before its other rows. */
export function encodeLanes(rows: readonly LaneRow[], owner: Owner): InsertBatch {
  return encodeBatch(lanesTable, rows, owner);
}
