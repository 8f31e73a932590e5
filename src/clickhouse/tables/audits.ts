import type { AuditRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { asNullableMicros, asUint32 } from '../value-writers.ts';
import { causeColumns } from './cause-columns.ts';
import { eventTimeColumn } from './time-columns.ts';

const columns: readonly Column<AuditRow>[] = [
  column('run_id', (w, row) => w.string(row.run_id)),
  column('epoch', (w, row) => w.int32(row.epoch)),
  column('unit', (w, row) => w.string(row.unit)),
  column('rollout_id', (w, row) => w.string(row.rollout_id)),
  column('attempt', (w, row) => w.int32(row.attempt)),
  column('replay_id', (w, row) => w.string(row.replay_id)),
  column('audit', (w, row) => w.string(row.audit)),
  column('result', (w, row) => w.string(row.result)),
  column('class', (w, row) => w.string(row.class)),
  column('severity', (w, row) => w.string(row.severity)),
  column('turn', (w, row) => w.int32(row.turn ?? -1)),
  column('index', (w, row) => w.int64(row.index ?? -1)),
  column('detail', (w, row) => w.string(row.detail)),
  column('ids', (w, row) => w.array(row.evidence.ids ?? [], asUint32)),
  column('expected_ids', (w, row) => w.array(row.evidence.expectedIds ?? [], asUint32)),
  column('text', (w, row) => w.string(row.evidence.text ?? '')),
  column('expected_text', (w, row) => w.string(row.evidence.expectedText ?? '')),
  eventTimeColumn<AuditRow>((row) => row),
  column('started_at', (w, row) => asNullableMicros(w, row.started_at)),
  ...causeColumns<AuditRow>((row) => row),
];

export const auditsTable: Table<AuditRow> = { name: 'audits', columns };

/** One row a finding, or one of class '' where an audit found nothing. `turn` and `index` are -1 where they do not apply. */
export function encodeAudits(rows: readonly AuditRow[], owner: Owner): InsertBatch {
  return encodeBatch(auditsTable, rows, owner);
}
