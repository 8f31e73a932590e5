import type { StepFaultRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { recordColumns } from './cause-columns.ts';
import { eventColumns } from './event-columns.ts';

const columns: readonly Column<StepFaultRow>[] = [
  column('reason', (w, row) => w.string(row.reason)),
  column('reason_detail', (w, row) => w.string(row.detail)),
  ...eventColumns<StepFaultRow>((row) => row.event),
  column('unit', (w, row) => w.string(row.unit)),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  ...recordColumns<StepFaultRow>((row) => row),
];

export const stepFaultsTable: Table<StepFaultRow> = { name: 'step_faults', columns };

/** Readable events that were not folded, whole. */
export function encodeStepFaults(rows: readonly StepFaultRow[], owner: Owner): InsertBatch {
  return encodeBatch(stepFaultsTable, rows, owner);
}
