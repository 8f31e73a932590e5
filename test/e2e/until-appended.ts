import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_FOLDER } from '../../src/config/data-folders.ts';

const POLL_MS = 20;

/**
 * Waits until so much more was written to the log of a data folder than was there when it was called: the import is in full swing.
 * Watches disk blocks, not lengths.
 */
export async function untilAppended(data: string, bytes: number): Promise<void> {
  const log = join(data, LOG_FOLDER);
  const before = await writtenBytes(log);
  while ((await writtenBytes(log)) < before + bytes) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function writtenBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
