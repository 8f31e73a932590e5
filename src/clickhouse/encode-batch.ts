import type { InsertBatch } from './port.ts';
import { RowBinaryWriter } from './row-binary.ts';

/** Who writes: the topic that a lane reads, and the lane's term. Part of every row, so that ownership can be judged. */
export interface Owner {
  readonly topic: string;
  readonly term: number;
}

/** A column and how a row's value of it is written: names and bytes cannot drift apart. */
export interface Column<Row> {
  readonly name: string;
  readonly write: (writer: RowBinaryWriter, row: Row, owner: Owner) => void;
}

export function column<Row>(name: string, write: Column<Row>['write']): Column<Row> {
  return { name, write };
}

export function encodeBatch<Row>(
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  owner: Owner,
): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    for (const { write } of columns) write(writer, row, owner);
  }
  return { table, columns: columns.map(({ name }) => name), rowCount: rows.length, rowBinary: writer.bytes };
}
