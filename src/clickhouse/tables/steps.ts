import type { StepRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { recordColumns } from './cause-columns.ts';
import { eventColumns } from './event-columns.ts';

const columns: readonly Column<StepRow>[] = [
  ...eventColumns<StepRow>((row) => row.event),
  column('unit', (w, row) => w.string(row.unit)),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  ...recordColumns<StepRow>((row) => row),
];

export const stepsTable: Table<StepRow> = { name: 'steps', columns };

/** Accepted events. */
export function encodeSteps(rows: readonly StepRow[], owner: Owner): InsertBatch {
  return encodeBatch(stepsTable, rows, owner);
}
