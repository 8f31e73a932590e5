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

/** Rows after which the size of the batch is estimated: growing by copies costs more than all else in a large one. */
const SAMPLE_ROWS = 16;

export function encodeBatch<Row>(
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  owner: Owner,
): InsertBatch {
  const writer = new RowBinaryWriter();
  rows.forEach((row, index) => {
    for (const { write } of columns) write(writer, row, owner);
    if (index + 1 === SAMPLE_ROWS) writer.expect(writer.bytes.length * (rows.length / SAMPLE_ROWS) * 1.1);
  });
  return { table, columns: columns.map(({ name }) => name), rowCount: rows.length, rowBinary: writer.bytes };
}
