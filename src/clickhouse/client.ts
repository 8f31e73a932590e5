import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../config/make-folder.ts';
import { RollstreamError } from '../errors.ts';
import { applySettings } from './apply-settings.ts';
import { createEmbeddedBulkReader } from './embedded-bulk-reader.ts';
import { createEmbeddedInsert } from './embedded-insert.ts';
import { createEmbeddedParquet } from './embedded-parquet.ts';
import { createEmbeddedReader } from './embedded-reader.ts';
import { createEmbeddedStatements } from './embedded-statements.ts';
import { enginePath } from './engine-path.ts';
import type { Store } from './port.ts';
import { DEFAULT_READER_LIMITS, type ReaderLimits, readerSettings } from './reader-limits.ts';
import type { Statements } from './statements.ts';
import { createStore } from './store.ts';
import { storeError } from './store-error.ts';
import { WRITER_SETTINGS } from './writer-settings.ts';

export interface EmbeddedStoreOptions {
  /** Folder of the store's own; no other process may have it open. */
  readonly folder: string;
  /** Of users' statements. */
  readonly readerLimits?: ReaderLimits;
  readonly log?: (message: string) => void;
}

/** The store in this process: chDB behind the official client. */
export async function openEmbeddedStore({
  folder,
  readerLimits = DEFAULT_READER_LIMITS,
  log = () => {},
}: EmbeddedStoreOptions): Promise<Store> {
  const path = enginePath(folder);
  await makeFolder(path);
  const opened: Statements[] = [];
  // Settings stick to a connection, and a connection runs one statement at a time: one each for inserts, our queries, users'.
  const connect = (): Statements => {
    const statements = createEmbeddedStatements(path);
    opened.push(statements);
    return statements;
  };
  try {
    const writer = connect();
    await applySettings(writer, WRITER_SETTINGS);
    const insert = await createEmbeddedInsert(folder, (sql) => writer.run(sql));
    const [queries, reader] = [connect(), createEmbeddedReader(connect())];
    const lockReader = async (): Promise<void> => {
      await reader.run('USE rollstream');
      await applySettings(reader, readerSettings(readerLimits));
    };
    const readParquet = createEmbeddedParquet(folder, () => createEmbeddedStatements(path));
    const openBulkReader = async () => {
      const statements = createEmbeddedStatements(path);
      // A condition of a user's may name tables: without a database they would be files of the host.
      await statements.run('USE rollstream');
      return createEmbeddedBulkReader(statements);
    };
    return createStore({ writer, queries, reader, lockReader, insert, readParquet, openBulkReader, log });
  } catch (cause) {
    await Promise.all(opened.map((statements) => statements.close()));
    throw cause instanceof RollstreamError ? cause : await openError(cause, folder, path);
  }
}

/** The binding says only that it failed; the engine writes the pid of its owner into `status`, which it keeps locked. */
async function openError(cause: unknown, folder: string, path: string): Promise<RollstreamError> {
  const status = await readFile(join(path, 'status'), 'utf8').catch(() => '');
  const pid = Number(/^PID: (\d+)$/m.exec(status)?.[1] ?? 0);
  if (pid !== 0 && pid !== process.pid && isAlive(pid)) {
    const message = `process ${pid} has the store in ${folder} open; one process at a time can`;
    return new RollstreamError('RS_DATA_OWNED', message, { cause, facts: { pid } });
  }
  return storeError(cause, `opening the store in ${folder}`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}
