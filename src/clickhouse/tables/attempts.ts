import type { AttemptRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { asNullableString } from '../value-writers.ts';
import { causeColumns } from './cause-columns.ts';
import { identityColumns } from './identity-columns.ts';
import { timeColumns } from './time-columns.ts';

const columns: readonly Column<AttemptRow>[] = [
  ...identityColumns<AttemptRow>((row) => row.event),
  column('unit', (w, row) => w.string(row.unit)),
  column('replay_id', (w) => w.string('')),
  column('event_id', (w, row) => w.string(row.event.event_id)),
  column('producer_id', (w, row) => w.string(row.event.producer_id)),
  column('source_format', (w, row) => w.string(row.event.source.format)),
  column('source_version', (w, row) => w.string(row.event.source.version)),
  column('source_location', (w, row) => asNullableString(w, row.event.source.location)),
  column('tokenizer_id', (w, row) => asNullableString(w, row.event.start?.tokenizer_id)),
  column('weights_version', (w, row) => asNullableString(w, row.event.start?.weights_version)),
  ...timeColumns<AttemptRow>((row) => row.event),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  ...causeColumns<AttemptRow>((row) => row),
];

export const attemptsTable: Table<AttemptRow> = { name: 'attempts', columns };

/** One row when an attempt opens: the left side of the accounting identity. The start event itself is in `steps`. */
export function encodeAttempts(rows: readonly AttemptRow[], owner: Owner): InsertBatch {
  return encodeBatch(attemptsTable, rows, owner);
}
