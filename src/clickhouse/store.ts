import type { Readable } from 'node:stream';
import { packageFile } from '../config/package-file.ts';
import { RollstreamError } from '../errors.ts';
import { coalesceInserts } from './coalesce-inserts.ts';
import { migrate } from './migrate.ts';
import type { BulkReader, InsertBatch, OutputFormat, QueryParams, Store } from './port.ts';
import { createReaderGuard, type ReaderGuard } from './reader-guard.ts';
import { removeRun } from './remove-run.ts';
import type { Statements } from './statements.ts';
import { queryError, storeError } from './store-error.ts';
import { decodeWtf8, escapeSurrogate } from './wtf8.ts';

export interface StoreDeps {
  /** Migrations. */
  readonly writer: Statements;
  /** Statements of our own. */
  readonly queries: Statements;
  /** Statements of users; bound by `lockReader`. */
  readonly reader: Statements;
  /** From here on the reader cannot write, and keeps to its limits. The database exists. */
  readonly lockReader: () => Promise<void>;
  readonly insert: (batch: InsertBatch) => Promise<void>;
  readonly readParquet: (sql: string, params: QueryParams) => Promise<Readable>;
  readonly openBulkReader: () => Promise<BulkReader>;
  readonly log: (message: string) => void;
}

export function createStore(deps: StoreDeps): Store {
  const { writer, queries, reader, lockReader, insert, log } = deps;
  const insertRows = coalesceInserts(insert);
  let closed = false;
  let guard: ReaderGuard | null = null;

  function assertOpen(): void {
    if (closed) throw new RollstreamError('RS_CLOSED', 'the store is closed');
  }

  async function read(statements: Statements, sql: string, format: OutputFormat, params: QueryParams): Promise<string> {
    const bytes = await statements.read(`${sql}\nFORMAT ${format}`, params);
    return decodeWtf8(bytes, format === 'CSVWithNames' ? undefined : escapeSurrogate);
  }

  async function rowsOf<Row extends object>(sql: string, params: QueryParams): Promise<Row[]> {
    const text = await read(queries, sql, 'JSONEachRow', params);
    return text === '' ? [] : JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`);
  }

  async function assertBooks(): Promise<void> {
    const books = await rowsOf(
      `SELECT name FROM system.tables WHERE database = 'rollstream' AND name = 'migrations'`,
      {},
    );
    if (books.length > 0) return;
    throw new RollstreamError('RS_DATA_VERSION', 'there are no tables in the store yet: `rollstream up` creates them');
  }

  async function guardReader(): Promise<ReaderGuard> {
    await lockReader();
    const functions = await rowsOf<{ name: string }>('SELECT name FROM system.table_functions', {});
    return createReaderGuard(functions.map(({ name }) => name));
  }

  return {
    async insert(batch) {
      assertOpen();
      if (batch.rowCount === 0) return;
      try {
        await insertRows(batch);
      } catch (cause) {
        throw storeError(cause, `inserting ${batch.rowCount} rows into ${batch.table}`);
      }
    },

    async removeRun(tables, runId) {
      assertOpen();
      try {
        await removeRun(writer.run, tables, runId);
      } catch (cause) {
        throw storeError(cause, 'removing the rows of a run');
      }
    },

    async query<Row extends object>(sql: string, params: QueryParams = {}): Promise<Row[]> {
      assertOpen();
      try {
        return await rowsOf<Row>(sql, params);
      } catch (cause) {
        throw storeError(cause, 'querying the store');
      }
    },

    async queryAsReader(sql, format, params = {}) {
      assertOpen();
      if (guard === null)
        throw new RollstreamError('RS_QUERY_REFUSED', 'the store is not ready: migrate() comes first');
      const checked = guard.check(sql);
      try {
        return await read(reader, checked, format, params);
      } catch (cause) {
        throw queryError(cause);
      }
    },

    async readParquet(sql, params = {}) {
      assertOpen();
      try {
        return await deps.readParquet(sql, params);
      } catch (cause) {
        throw storeError(cause, 'exporting from the store');
      }
    },

    async openBulkReader() {
      assertOpen();
      return deps.openBulkReader();
    },

    async migrate({ onlyCheck = false } = {}) {
      assertOpen();
      try {
        if (onlyCheck) await assertBooks();
        await migrate(packageFile('infra', 'clickhouse', 'migrations'), {
          run: writer.run,
          applied: () => rowsOf('SELECT name, sha256 FROM rollstream.migrations', {}),
          log,
          onlyCheck,
        });
        guard ??= await guardReader();
      } catch (cause) {
        throw storeError(cause, 'migrating the store');
      }
    },

    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([writer.close(), queries.close(), reader.close()]);
    },
  };
}
