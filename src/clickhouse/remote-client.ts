import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { RollstreamError } from '../errors.ts';
import type { Store } from './port.ts';
import { DEFAULT_READER_LIMITS, type ReaderLimits, readerSettings } from './reader-limits.ts';
import { createRemoteBulkReader } from './remote-bulk-reader.ts';
import { createRemoteInsert } from './remote-insert.ts';
import { createRemoteParquet } from './remote-parquet.ts';
import { createRemoteStatements } from './remote-statements.ts';
import { checkServerVersion } from './server-version.ts';
import { createStore } from './store.ts';
import { storeError } from './store-error.ts';
import { WRITER_SETTINGS } from './writer-settings.ts';

export interface RemoteStoreOptions {
  /** `http://host:8123` or `https://host:8443`. The database is `rollstream`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** PEM; `cert` and `key` where the server asks for the client's certificate. */
  readonly tls?: { readonly ca: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  /** Of users' statements. */
  readonly readerLimits?: ReaderLimits;
  /** Longest silence of the server before a request counts as failed; default 60 s. */
  readonly timeoutMs?: number;
  readonly log?: (message: string) => void;
}

const TIMEOUT_MS = 60_000;
/** The server closes idle sockets after 3 s (before 23.11) or 10 s; a request on one that just closed is a failure for nothing. */
const IDLE_SOCKET_MS = 2_500;
/** Time for an answer about a limit that was hit to come back. */
const ANSWER_MS = 5_000;
/** A Parquet file is sent once it is whole: so long the server may be silent. */
const PARQUET_MS = 1_800_000;

/** A piece of a replay is sorted before it is sent. */
const BULK_READ_MS = 600_000;

/** As in the engine of this process: numbers are numbers, and an answer is whole or an error, never both. */
const ANSWER_SETTINGS: ClickHouseSettings = { wait_end_of_query: 1, output_format_json_quote_64bit_integers: 0 };

/** The store on a ClickHouse server, over HTTP. Its outages are RS_STORE_UNREACHABLE: whoever waits repeats the same rows. */
export async function openRemoteStore(options: RemoteStoreOptions): Promise<Store> {
  const { timeoutMs = TIMEOUT_MS, readerLimits = DEFAULT_READER_LIMITS, log = () => {} } = options;
  const connect = (clickhouse_settings: ClickHouseSettings, request_timeout: number, database = 'default') =>
    createClient({
      url: checkedUrl(options.url),
      username: options.user,
      password: options.password,
      database,
      request_timeout,
      keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS, eagerly_destroy_stale_sockets: true },
      clickhouse_settings,
      log: { level: ClickHouseLogLevel.OFF },
      ...(options.tls && { tls: tlsOf(options.tls) }),
    });
  const writer = connect({ ...ANSWER_SETTINGS, ...WRITER_SETTINGS }, timeoutMs);
  const queries = createRemoteStatements(connect(ANSWER_SETTINGS, timeoutMs), timeoutMs);
  const readerMs = Math.max(timeoutMs, readerLimits.timeMs + ANSWER_MS);
  const readerClient = connect({ ...ANSWER_SETTINGS, ...readerSettings(readerLimits) }, readerMs, 'rollstream');
  const store = createStore({
    writer: createRemoteStatements(writer, timeoutMs),
    queries,
    reader: createRemoteStatements(readerClient, readerMs),
    // Each request carries readonly = 1 and the limits.
    lockReader: async () => {},
    insert: createRemoteInsert(writer),
    readParquet: createRemoteParquet(() => connect(ANSWER_SETTINGS, Math.max(timeoutMs, PARQUET_MS))),
    openBulkReader: async () => {
      const longMs = Math.max(timeoutMs, BULK_READ_MS);
      return createRemoteBulkReader(createRemoteStatements(connect(ANSWER_SETTINGS, longMs, 'rollstream'), longMs));
    },
    log,
  });
  try {
    await checkServerVersion(queries);
    return store;
  } catch (cause) {
    await store.close();
    throw storeError(cause, `opening the store at ${options.url}`);
  }
}

function checkedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new RollstreamError('RS_CONFIG', `not the address of a ClickHouse server: ${text} (such as http://host:8123)`);
}

function tlsOf({ ca, cert, key }: NonNullable<RemoteStoreOptions['tls']>) {
  return cert === undefined || key === undefined ? { ca_cert: ca } : { ca_cert: ca, cert, key };
}
