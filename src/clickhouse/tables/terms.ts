import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';

/**
 * A lane was restored: the frontier of the commit that its new owner read; one less after a term that was settling a loss and did
 * not end, whose decisions then do not count.
 */
export interface TermRow {
  readonly partition: number;
  readonly restored: number;
}

const columns: readonly Column<TermRow>[] = [
  column('topic', (w, _row, owner) => w.string(owner.topic)),
  column('partition', (w, row) => w.int32(row.partition)),
  column('term', (w, _row, owner) => w.uint32(owner.term)),
  column('restored', (w, row) => w.int64(row.restored)),
  column('version', (w, row, owner) => w.version(owner.term, row.restored)),
];

export const termsTable: Table<TermRow> = { name: 'terms', columns };

/** Written when a term begins: what the terms before it owned ends there. */
export function encodeTerms(rows: readonly TermRow[], owner: Owner): InsertBatch {
  return encodeBatch(termsTable, rows, owner);
}
