import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlString } from '../sql-string.ts';
import type { RunStatement } from './front-engine.ts';
import { frontError } from './front-error.ts';
import type { DecodeBody } from './request-body.ts';

const ENCODINGS = new Set(['lz4', 'zstd', 'xz']);

/** The engine knows the encodings that Node lacks; clickhouse-connect sends lz4. */
export function createDecodeBody(inbox: string, run: RunStatement): DecodeBody {
  let count = 0;
  return async function decodeBody(bytes, encoding, maxBytes, signal) {
    if (!ENCODINGS.has(encoding)) {
      throw frontError('NOT_IMPLEMENTED', `Content-Encoding ${encoding} is not supported here`);
    }
    const path = join(inbox, `body-${count++}`);
    try {
      await writeFile(path, bytes);
      const source = `file(${sqlString(path)}, 'RawBLOB', 'body String', '${encoding}')`;
      const sql = `SELECT body FROM ${source} FORMAT RawBLOB`;
      const settings = [['max_memory_usage', String(4 * maxBytes)]] as const;
      return (await run({ sql, settings, params: new Map(), signal })).body;
    } finally {
      await unlink(path).catch(() => {});
    }
  };
}
