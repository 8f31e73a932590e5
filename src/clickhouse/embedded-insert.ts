import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyInbox } from './empty-inbox.ts';
import { insertStatement } from './insert-statement.ts';
import type { InsertBatch } from './port.ts';
import { sqlString } from './sql-string.ts';

/**
 * chDB's binding passes values through UTF-8, which corrupts RowBinary: the bytes go through a file that the engine reads.
 * Its path is ours alone. Left-overs of a killed process are removed at the next start.
 */
export async function createEmbeddedInsert(
  folder: string,
  run: (sql: string) => Promise<void>,
): Promise<(batch: InsertBatch) => Promise<void>> {
  const inbox = await emptyInbox(join(folder, 'inbox'));
  let count = 0;

  return async function insert(batch) {
    const path = join(inbox, `${batch.table}-${count++}.rowbinary`);
    try {
      await writeFile(path, batch.rowBinary);
      // Not FROM INFILE: the engine then appends what stands on the process's stdin to the rows.
      await run(`${insertStatement(batch)} SELECT * FROM file(${sqlString(path)}, RowBinary)`);
    } finally {
      await unlink(path).catch(() => {});
    }
  };
}
