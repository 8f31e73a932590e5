import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { RollstreamError } from '../errors.ts';
import { chdbConnection } from './chdb-connection.ts';
import { createEmbeddedInsert } from './embedded-insert.ts';
import type { Store } from './port.ts';
import { createStore } from './store.ts';

export interface EmbeddedStoreOptions {
  /** Folder of the store's own; no other process may have it open. */
  readonly folder: string;
  readonly log?: (message: string) => void;
}

/**
 * The store in this process: chDB behind the official client. A server over the wire differs in two places only, the
 * clients' connection and `insert`, which there sends the bytes with `exec`.
 */
export async function openEmbeddedStore({ folder, log = () => {} }: EmbeddedStoreOptions): Promise<Store> {
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
      createInsert: (run) => createEmbeddedInsert(folder, run),
    });
  } catch (cause) {
    await Promise.all(clients.map((client) => client.close()));
    throw cause instanceof RollstreamError ? cause : openError(cause, folder);
  }
}

function openError(cause: unknown, folder: string): RollstreamError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const owned = /lock|already|another|only one/i.test(message);
  return new RollstreamError(
    owned ? 'RS_DATA_OWNED' : 'RS_STORE_UNREACHABLE',
    `cannot open the store in ${folder}: ${message.trim().split('\n', 1)[0] ?? ''}`,
    { cause },
  );
}
