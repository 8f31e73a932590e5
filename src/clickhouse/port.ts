import type { Readable } from 'node:stream';

/** The store of rows, as everything above it sees it. ClickHouse and its in-process form chDB sit behind it, in this folder only. */

export type QueryParams = Readonly<
  Record<string, string | number | boolean | null | readonly string[] | readonly number[]>
>;

export type OutputFormat = 'JSONEachRow' | 'JSON' | 'CSVWithNames';

export interface Store {
  /**
   * Inserts rows that are already RowBinary, in the order of the table's columns as `tables/<table>.ts` writes them.
   * Resolves once they are on disk. The same rows may be inserted again: keys and versions make it idempotent.
   */
  insert(batch: InsertBatch): Promise<void>;
  /** Removes the rows of a run from these tables; resolves once they are gone. Rows that are inserted meanwhile stay. */
  removeRun(tables: readonly string[], runId: string): Promise<void>;
  /** Rows of a statement of our own. Parameters are `{name:Type}` in the SQL, never spliced text. */
  query<Row extends object>(sql: string, params?: QueryParams): Promise<Row[]>;
  /**
   * A statement from a user, on a connection that cannot write, reach files or URLs; limited in time, rows and bytes.
   * Refusals are RS_QUERY_REFUSED, mistakes in the SQL RS_QUERY_FAILED.
   */
  queryAsReader(sql: string, format: OutputFormat, params?: QueryParams): Promise<string>;
  /**
   * Rows of a statement of our own as a Parquet file, in pieces: a large one is never whole in memory. Whoever reads it ends or
   * destroys it. It takes a connection of its own: no other statement waits for it.
   */
  readParquet(sql: string, params?: QueryParams): Promise<Readable>;
  /** A connection of its own to read much with: nothing that lanes ask waits for it. */
  openBulkReader(): Promise<BulkReader>;
  /**
   * Applies the numbered files of infra/clickhouse/migrations that are not recorded yet. `onlyCheck`: RS_DATA_VERSION if one is
   * missing, and nothing is changed.
   */
  migrate(options?: { readonly onlyCheck?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Reads rows of statements of our own, one statement at a time. */
export interface BulkReader {
  /** RowBinary, in the order and types of the columns selected. All of it is in memory: ask for a piece. */
  read(sql: string, params?: QueryParams): Promise<Buffer>;
  close(): Promise<void>;
}

export interface InsertBatch {
  readonly table: string;
  /** Names the columns of `rowBinary`, in order. */
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly rowBinary: Uint8Array;
}
