import { buffer } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import { packageFile } from '../config/package-file.ts';
import { RollstreamError } from '../errors.ts';
import { migrate } from './migrate.ts';
import type { InsertBatch, OutputFormat, QueryParams, Store } from './port.ts';
import { createReaderGuard, type ReaderGuard } from './reader-guard.ts';
import { type ReaderLimits, readerSettings } from './reader-limits.ts';
import { queryError, storeError } from './store-error.ts';
import { decodeWtf8, escapeSurrogate } from './wtf8.ts';

export interface StoreDeps {
  /** Inserts and migrations. */
  readonly writer: ClickHouseClient;
  /** Statements of our own. */
  readonly queries: ClickHouseClient;
  /** Statements of users. */
  readonly reader: ClickHouseClient;
  readonly createInsert: (
    run: (sql: string) => Promise<void>,
  ) => Promise<{ insert(batch: InsertBatch): Promise<void> }>;
  readonly readerLimits: ReaderLimits;
  readonly log: (message: string) => void;
}

/** async_insert answers before the rows are on disk; months of event time in one batch are no mistake here. */
const WRITER_SETTINGS = [
  'async_insert = 0',
  'max_partitions_per_insert_block = 0',
  // Rows of one key in one batch are left to FINAL, as everywhere else.
  'optimize_on_insert = 0',
];
export async function createStore(deps: StoreDeps): Promise<Store> {
  const { writer, queries, reader, log } = deps;
  let closed = false;
  let guard: ReaderGuard | null = null;

  const run = async (sql: string, params?: QueryParams): Promise<void> => {
    await writer.command({ query: sql, ...(params && { query_params: { ...params } }) });
  };
  for (const setting of WRITER_SETTINGS) await run(`SET ${setting}`);
  const { insert } = await deps.createInsert(run);

  function assertOpen(): void {
    if (closed) throw new RollstreamError('RS_CLOSED', 'the store is closed');
  }

  /** Bytes, not text: a string in a row may hold lone surrogates, which UTF-8 decoding would lose. */
  async function read(
    client: ClickHouseClient,
    sql: string,
    format: OutputFormat,
    params: QueryParams,
  ): Promise<string> {
    const query = `${sql}\nFORMAT ${format}`;
    const { stream } = await client.exec({ query, query_params: { ...params } });
    return decodeWtf8(await buffer(stream), format === 'CSVWithNames' ? undefined : escapeSurrogate);
  }

  async function rowsOf<Row extends object>(sql: string, params: QueryParams): Promise<Row[]> {
    const text = await read(queries, sql, 'JSONEachRow', params);
    return text === '' ? [] : JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`);
  }

  async function lockReader(): Promise<ReaderGuard> {
    await reader.command({ query: 'USE rollstream' });
    for (const setting of readerSettings(deps.readerLimits)) await reader.command({ query: `SET ${setting}` });
    const functions = await rowsOf<{ name: string }>('SELECT name FROM system.table_functions', {});
    return createReaderGuard(functions.map(({ name }) => name));
  }

  return {
    async insert(batch) {
      assertOpen();
      if (batch.rowCount === 0) return;
      try {
        await insert(batch);
      } catch (cause) {
        throw storeError(cause, `inserting ${batch.rowCount} rows into ${batch.table}`);
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

    async migrate() {
      assertOpen();
      try {
        await migrate(packageFile('infra', 'clickhouse', 'migrations'), {
          run,
          applied: () => rowsOf('SELECT name, sha256 FROM rollstream.migrations', {}),
          log,
        });
        guard ??= await lockReader();
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
