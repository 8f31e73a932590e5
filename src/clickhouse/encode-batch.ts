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

export interface Table<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
}

export function column<Row>(name: string, write: Column<Row>['write']): Column<Row> {
  return { name, write };
}

/** Rows after which the size of a batch is estimated: growing by copies costs more than all else in a large one. */
const SAMPLE_ROWS = 16;
/** A lane has an encoder a table, and most of its batches are small. */
const FIRST_BYTES = 4096;

/** Rows of one table, encoded as they come. */
export interface BatchEncoder<Row> {
  append(rows: readonly Row[]): void;
  /** What was appended since the last time. */
  take(): InsertBatch;
}

export function createBatchEncoder<Row>(table: Table<Row>, owner: Owner): BatchEncoder<Row> {
  const columns = table.columns.map(({ name }) => name);
  let writer = new RowBinaryWriter(FIRST_BYTES);
  let rowCount = 0;
  return {
    append(rows) {
      const before = writer.bytes.length;
      rows.forEach((row, index) => {
        for (const { write } of table.columns) write(writer, row, owner);
        if (index + 1 === SAMPLE_ROWS)
          writer.expect(before + (writer.bytes.length - before) * (rows.length / SAMPLE_ROWS) * 1.1);
      });
      rowCount += rows.length;
    },
    take() {
      const batch = { table: table.name, columns, rowCount, rowBinary: writer.bytes };
      // The next one is likely to be as large.
      if (rowCount > 0) writer = new RowBinaryWriter(Math.max(FIRST_BYTES, batch.rowBinary.length));
      rowCount = 0;
      return batch;
    },
  };
}

export function encodeBatch<Row>(table: Table<Row>, rows: readonly Row[], owner: Owner): InsertBatch {
  const encoder = createBatchEncoder(table, owner);
  encoder.append(rows);
  return encoder.take();
}
