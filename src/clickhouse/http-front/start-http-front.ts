import { join } from 'node:path';
import { createFailedAttempts, type FailedAttempts } from '../../server/auth/failed-attempts.ts';
import { type KnownTokens, NO_TOKENS } from '../../server/auth/known-tokens.ts';
import { listen } from '../../server/listen.ts';
import { createEmbeddedStatements } from '../embedded-statements.ts';
import { emptyInbox } from '../empty-inbox.ts';
import { enginePath } from '../engine-path.ts';
import { createReaderGuard } from '../reader-guard.ts';
import { DEFAULT_READER_LIMITS, type ReaderLimits } from '../reader-limits.ts';
import { createDecodeBody } from './decode-body.ts';
import { createFrontEngine, type RunStatement } from './front-engine.ts';
import { createHttpFront } from './http-front.ts';
import { createInsertRows } from './insert-rows.ts';
import { createSlots } from './slots.ts';
import { createWriterGuard } from './writer-guard.ts';

export interface HttpFrontOptions {
  /** Of the embedded store, which this process has open. */
  readonly folder: string;
  readonly host: string;
  /** null: 8123, else the next free one. */
  readonly port: number | null;
  /** Also takes rows and tables; else only queries. */
  readonly writable: boolean;
  /** Inserts that run at a time; more than one only where the process has nothing else to do. */
  readonly insertsAtOnce?: number;
  /** The password that clients must send; null: none. */
  readonly token: string | null;
  /** Those of a token file are passwords, too; left out: there is none. */
  readonly tokens?: KnownTokens;
  /** Wrong passwords; left out: counted here alone. */
  readonly failures?: FailedAttempts;
  readonly limits?: ReaderLimits;
  readonly log?: (message: string) => void;
}

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

const FIRST_PORT = 8123;
/** Each takes one of the four threads that Node has for files, names and the engine; the rest is for the pipeline. */
const READS_AT_ONCE = 2;
const LONGEST_QUEUE = 256;
/** Requests that run when it closes get so long to end. */
const GRACE_MS = 2_000;
/** What clients read first; none of it tells more of the host than the data's own folder. */
const SYSTEM_TABLES = ['settings', 'databases', 'tables', 'formats', 'data_type_families', 'table_functions'];

/** Serves ClickHouse's HTTP interface over the engine in this process, so that any ClickHouse client can read the data. */
export async function startHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const { folder, host, port, writable, token, limits = DEFAULT_READER_LIMITS, log = () => {} } = options;
  const { insertsAtOnce = 1, failures = createFailedAttempts(() => performance.now()), tokens = NO_TOKENS } = options;
  const engine = createFrontEngine(enginePath(folder));
  const { tableFunctions, timezone } = await prepare(folder);
  const [readSlots, writeSlots] = [
    createSlots(READS_AT_ONCE, LONGEST_QUEUE),
    createSlots(insertsAtOnce, LONGEST_QUEUE),
  ];
  const runRead: RunStatement = (statement) => readSlots(() => engine.run(statement));
  const runWrite: RunStatement = (statement) => writeSlots(() => engine.run(statement));
  const inbox = await emptyInbox(join(folder, 'front-inbox'));
  const front = createHttpFront(
    { host, token, writable, limits },
    {
      runRead,
      runWrite,
      insertRows: createInsertRows(inbox, runWrite),
      decodeBody: createDecodeBody(inbox, runRead),
      reader: createReaderGuard(tableFunctions, SYSTEM_TABLES),
      writer: createWriterGuard(tableFunctions),
      tokens,
      failures,
      log,
      timezone,
    },
  );
  const listener = await listen(host, port, front, { firstPort: FIRST_PORT, field: 'clickhouse_http.port' });
  return {
    url: listener.url,
    async close() {
      await listener.close(GRACE_MS);
      await engine.close();
    },
  };
}

/** Every statement runs in the database, so it is there before the first. */
async function prepare(folder: string): Promise<{ tableFunctions: string[]; timezone: string }> {
  const statements = createEmbeddedStatements(enginePath(folder));
  const lines = async (sql: string): Promise<string[]> =>
    (await statements.read(`${sql} FORMAT TabSeparatedRaw`)).toString('utf8').trim().split('\n');
  try {
    await statements.run('CREATE DATABASE IF NOT EXISTS rollstream ENGINE = Atomic');
    const [timezone = 'UTC'] = await lines('SELECT timezone()');
    return { tableFunctions: await lines('SELECT name FROM system.table_functions'), timezone };
  } finally {
    await statements.close();
  }
}
