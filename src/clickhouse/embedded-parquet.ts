import { open, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { PARQUET_SETTINGS } from './parquet-settings.ts';
import type { QueryParams } from './port.ts';
import { setParams } from './set-params.ts';
import { sqlString } from './sql-string.ts';
import type { Statements } from './statements.ts';

/**
 * The engine writes the file into the inbox, and it is unlinked as soon as it is open: nothing is left of it, whatever ends the
 * process. `connect`: a connection of its own for each, since one runs a statement at a time and lanes wait for the others.
 */
export function createEmbeddedParquet(
  folder: string,
  connect: () => Statements,
): (sql: string, params: QueryParams) => Promise<Readable> {
  let count = 0;

  return async function readParquet(sql, params) {
    const path = join(resolve(folder), 'inbox', `export-${count++}.parquet`);
    const statements = connect();
    try {
      await setParams(statements, params);
      await statements.run(`${sql}\nINTO OUTFILE ${sqlString(path)} FORMAT Parquet\n${PARQUET_SETTINGS}`);
      const file = await open(path, 'r');
      return file.createReadStream();
    } finally {
      await Promise.all([statements.close(), unlink(path).catch(() => {})]);
    }
  };
}
