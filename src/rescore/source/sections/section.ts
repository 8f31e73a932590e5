import type { RowBinaryReader } from '../../../clickhouse/row-binary-reader.ts';

/**
 * Columns that are read together, and how: expressions and bytes cannot drift apart. Each is one byte where a row has nothing of
 * it (null, an empty list or text, false), so that events of other kinds step over all of them at once.
 */
export interface Section<T> {
  readonly select: readonly string[];
  read(reader: RowBinaryReader): T;
}

/** Steps over a section that the row has nothing of. */
export function skipSection(reader: RowBinaryReader, { select }: Section<unknown>): void {
  reader.skip(select.length);
}
