import { createWriteStream } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sqlString } from '../sql-string.ts';
import type { EngineAnswer, RunStatement } from './front-engine.ts';
import { frontError } from './front-error.ts';
import { writeSettings } from './front-settings.ts';
import type { InsertHead } from './insert-head.ts';

export interface RowsToInsert {
  readonly head: InsertHead;
  readonly settings: ReadonlyMap<string, string>;
  /** Rows that stood behind the statement itself. */
  readonly first: Uint8Array;
  readonly rest: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Content-Encoding of the rest. */
  readonly encoding: string;
  readonly signal: AbortSignal;
}

/** How the engine calls what HTTP calls. */
const COMPRESSION: Readonly<Record<string, string>> = {
  ...{ '': 'none', identity: 'none', gzip: 'gzip', deflate: 'deflate', br: 'br', lz4: 'lz4', zstd: 'zstd', xz: 'xz' },
};

/** Chunks come as the socket gives them; each written by itself would be a thread's round trip. */
const WRITE_BYTES = 8 * 1024 * 1024;

/**
 * The rows go through a file that the engine reads: the binding takes no bytes. A body that breaks off inserts nothing, and
 * an expression in Values would be run by the engine, so there are none.
 */
export function createInsertRows(inbox: string, run: RunStatement): (rows: RowsToInsert) => Promise<EngineAnswer> {
  let count = 0;
  return async function insertRows({ head, settings, first, rest, encoding, signal }) {
    const compression = COMPRESSION[encoding];
    if (compression === undefined || (compression !== 'none' && first.length > 0)) {
      throw frontError('NOT_IMPLEMENTED', `Content-Encoding ${encoding} is not supported here`);
    }
    const path = join(inbox, `rows-${count++}`);
    try {
      await pipeline(
        async function* () {
          yield first;
          yield* rest;
        },
        createWriteStream(path, { highWaterMark: WRITE_BYTES }),
      );
      if ((await stat(path)).size === 0) return { body: Buffer.alloc(0), summary: { written_rows: '0' } };
      const sql = `INSERT INTO ${head.target} FROM INFILE ${sqlString(path)} COMPRESSION '${compression}' FORMAT ${head.format}`;
      const done = await run({
        sql,
        settings: [...writeSettings(settings), ...NO_EXPRESSIONS],
        params: new Map(),
        signal,
      });
      const { read_rows, read_bytes } = done.summary;
      return { ...done, summary: { ...done.summary, written_rows: read_rows, written_bytes: read_bytes } };
    } finally {
      await unlink(path).catch(() => {});
    }
  };
}

const NO_EXPRESSIONS = [
  ['input_format_values_interpret_expressions', '0'],
  ['input_format_values_deduce_templates_of_expressions', '0'],
] as const;
