import { mkdir, rm, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RollstreamError } from '../errors.ts';
import type { InsertBatch } from './port.ts';

export interface EmbeddedInsert {
  insert(batch: InsertBatch): Promise<void>;
}

/**
 * chDB's binding passes values through UTF-8, which corrupts RowBinary: the bytes go through a file that the engine reads.
 * Its path is ours alone. Left-overs of a killed process are removed at the next start.
 */
export async function createEmbeddedInsert(
  folder: string,
  run: (sql: string) => Promise<void>,
): Promise<EmbeddedInsert> {
  const inbox = join(resolve(folder), 'inbox');
  // INFILE expands these, and has no escape for them.
  if (/[*?{}|]/.test(inbox)) {
    throw new RollstreamError('RS_CONFIG', `the data folder's path may not hold * ? { } or |: ${inbox}`);
  }
  await rm(inbox, { recursive: true, force: true });
  await mkdir(inbox, { recursive: true });
  let count = 0;

  return {
    async insert(batch) {
      const path = join(inbox, `${batch.table}-${count++}.rowbinary`);
      try {
        await writeFile(path, batch.rowBinary);
        await run(
          `INSERT INTO rollstream.${quoted(batch.table)} (${batch.columns.map(quoted).join(', ')}) ` +
            `FROM INFILE '${path.replace(/['\\]/g, '\\$&')}' COMPRESSION 'none' FORMAT RowBinary`,
        );
      } finally {
        await unlink(path).catch(() => {});
      }
    },
  };
}

function quoted(name: string): string {
  return `\`${name}\``;
}
