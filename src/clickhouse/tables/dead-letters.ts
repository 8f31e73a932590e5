import type { DeadLetterRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { asNullableBlob, asString } from '../value-writers.ts';

const columns: readonly Column<DeadLetterRow>[] = [
  column('topic', (w, row) => w.string(row.topic)),
  column('partition', (w, row) => w.int32(row.partition)),
  column('offset', (w, row) => w.int64(row.offset)),
  column('stage', (w, row) => w.string(row.fault.stage)),
  column('code', (w, row) => w.string(row.fault.code)),
  column('field', (w, row) => w.string(row.fault.field)),
  column('expected', (w, row) => w.string(row.fault.expected)),
  column('got', (w, row) => w.string(row.fault.got)),
  column('key', (w, row) => asNullableBlob(w, row.key)),
  column('value', (w, row) => w.blob(row.value)),
  column('headers', (w, row) => w.map(row.headers, asString)),
  column('appended_at', (w, row) => w.int64(row.appendedAtMs * 1000)),
  column('term', (w, _row, owner) => w.uint32(owner.term)),
  column('version', (w, row, owner) => w.version(owner.term, row.offset)),
];

export const deadLettersTable: Table<DeadLetterRow> = { name: 'dead_letters', columns };

/** Records that could not be read, byte for byte, each with what is wrong with it. */
export function encodeDeadLetters(rows: readonly DeadLetterRow[], owner: Owner): InsertBatch {
  return encodeBatch(deadLettersTable, rows, owner);
}
