import type { StepRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { recordColumns } from './cause-columns.ts';
import { eventColumns } from './event-columns.ts';

const columns: readonly Column<StepRow>[] = [
  ...eventColumns<StepRow>((row) => row.event),
  column('unit', (w, row) => w.string(row.unit)),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  ...recordColumns<StepRow>((row) => row),
];

/** Accepted events. */
export function encodeSteps(rows: readonly StepRow[], owner: Owner): InsertBatch {
  return encodeBatch('steps', columns, rows, owner);
}
