import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { RollstreamError } from '../errors.ts';
import { chdbConnection } from './chdb-connection.ts';
import { createEmbeddedInsert } from './embedded-insert.ts';
import type { Store } from './port.ts';
import { DEFAULT_READER_LIMITS, type ReaderLimits } from './reader-limits.ts';
import { createStore } from './store.ts';
import { storeError } from './store-error.ts';

export interface EmbeddedStoreOptions {
  /** Folder of the store's own; no other process may have it open. */
  readonly folder: string;
  /** Of users' statements. */
  readonly readerLimits?: ReaderLimits;
  readonly log?: (message: string) => void;
}

/**
 * The store in this process: chDB behind the official client. A server over the wire differs in two places only, the
 * clients' connection and `insert`, which there sends the bytes with `exec`.
 */
export async function openEmbeddedStore({
  folder,
  readerLimits = DEFAULT_READER_LIMITS,
  log = () => {},
}: EmbeddedStoreOptions): Promise<Store> {
  const path = join(resolve(folder), 'engine');
  await mkdir(path, { recursive: true });
  const clients: ClickHouseClient[] = [];
  // Settings stick to a connection, and a connection runs one statement at a time: one each for inserts, our queries, users'.
  const connect = (): ClickHouseClient => {
    const client = createClient({ connection: chdbConnection(path) });
    clients.push(client);
    return client;
  };
  try {
    const writer = connect();
    return await createStore({
      writer,
      queries: connect(),
      reader: connect(),
      log,
      readerLimits,
      createInsert: (run) => createEmbeddedInsert(folder, run),
    });
  } catch (cause) {
    await Promise.all(clients.map((client) => client.close()));
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
