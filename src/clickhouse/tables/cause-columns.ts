import { type Column, column } from '../encode-batch.ts';

/** The record whose folding produced a row. */
export interface Cause {
  readonly partition: number;
  readonly offset: number;
}

/** A record kept as a row, and the record whose folding produced it: a later one where an orphan was accepted or given up. */
export interface RecordAndCause extends Cause {
  readonly cause: number;
}

/** Where a row comes from and who wrote it: `owned` judges by these whether it counts, `version` which of two rows wins. */
export function causeColumns<Row>(causeOf: (row: Row) => Cause): Column<Row>[] {
  return [
    column('topic', (w, _row, owner) => w.string(owner.topic)),
    column('partition', (w, row) => w.int32(causeOf(row).partition)),
    column('offset', (w, row) => w.int64(causeOf(row).offset)),
    column('term', (w, _row, owner) => w.uint32(owner.term)),
    column('version', (w, row, owner) => w.version(owner.term, causeOf(row).offset)),
  ];
}

/** For rows that are records themselves: `offset` is the record's own, `cause` is judged. */
export function recordColumns<Row>(recordOf: (row: Row) => RecordAndCause): Column<Row>[] {
  return [
    ...causeColumns(recordOf).slice(0, -1),
    column('cause', (w, row) => w.int64(recordOf(row).cause)),
    column('version', (w, row, owner) => w.version(owner.term, recordOf(row).cause)),
  ];
}
