import type { VerdictRow } from '../../../processors/model/effects.ts';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { asInt64, asNullableFloat64, asNullableInt32, asNullableString } from '../value-writers.ts';
import { recordColumns } from './cause-columns.ts';
import { identityColumns } from './identity-columns.ts';
import { timeColumns } from './time-columns.ts';

type Verdict = NonNullable<StepEvent['verdict']>;

const columns: readonly Column<VerdictRow>[] = [
  ...identityColumns<VerdictRow>((row) => row.event),
  column('unit', (w, row) => w.string(row.unit)),
  column('segment_id', (w, row) => w.string(row.event.segment_id)),
  column('seq', (w, row) => w.int32(row.event.seq ?? -1)),
  column('event_id', (w, row) => w.string(row.event.event_id)),
  column('late', (w, row) => w.bool(row.late)),
  column('producer_id', (w, row) => w.string(row.event.producer_id)),
  column('source_format', (w, row) => w.string(row.event.source.format)),
  column('source_version', (w, row) => w.string(row.event.source.version)),
  column('source_location', (w, row) => asNullableString(w, row.event.source.location)),
  column('extra_json', (w, row) => asNullableString(w, row.event.extra_json)),
  column('scorer', (w, row) => w.string(verdictOf(row).scorer)),
  column('scorer_version', (w, row) => w.string(verdictOf(row).scorer_version)),
  column('status', (w, row) => w.string(verdictOf(row).status)),
  column('rewards', (w, row) => w.map(verdictOf(row).rewards, asNullableFloat64)),
  column('bound_to', (w, row) => asNullableInt32(w, verdictOf(row).bound_to)),
  column('report_json', (w, row) => asNullableString(w, verdictOf(row).report_json)),
  ...timeColumns<VerdictRow>((row) => row.event),
  column('duration_us', (w, row) => w.nullable(row.event.duration_us, asInt64)),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  ...recordColumns<VerdictRow>((row) => row),
];

function verdictOf(row: VerdictRow): Verdict {
  if (row.event.verdict === null) throw new Error(`event ${row.event.event_id} is no verdict`);
  return row.event.verdict;
}

export const verdictsTable: Table<VerdictRow> = { name: 'verdicts', columns };

/** What verifiers said; those that came too late as well, for replay. */
export function encodeVerdicts(rows: readonly VerdictRow[], owner: Owner): InsertBatch {
  return encodeBatch(verdictsTable, rows, owner);
}
