import type { StepRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { recordColumns } from './cause-columns.ts';
import { eventColumns } from './event-columns.ts';

/**
 * A CONTROL RECORD ACTS AT ITS OWN OFFSET, and each has a row. By event id alone: 1 policy A @5, B @9, A again @20; 2 the two A
 * have one id, and @20 takes the place of @5: whoever replays reads that nothing was in force before 9. So with a deadline that
 * two owners of a lane wrote: the first decided, and would be gone.
 */
function unsequencedIdOf({ event, offset }: StepRow): string {
  if (event.seq !== null) return '';
  return event.kind === 'control' ? `${event.event_id} @${offset}` : event.event_id;
}

const columns: readonly Column<StepRow>[] = [
  ...eventColumns<StepRow>((row) => row.event, unsequencedIdOf),
  column('unit', (w, row) => w.string(row.unit)),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  ...recordColumns<StepRow>((row) => row),
];

export const stepsTable: Table<StepRow> = { name: 'steps', columns };

/** Accepted events. */
export function encodeSteps(rows: readonly StepRow[], owner: Owner): InsertBatch {
  return encodeBatch(stepsTable, rows, owner);
}
