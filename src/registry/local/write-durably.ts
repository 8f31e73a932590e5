import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RollstreamError } from '../../errors.ts';

/** Replaces a file: after a crash at any moment it holds the old text or the new one, and the new one once this resolves. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  try {
    const handle = await open(draft, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    // The rename is in the folder's own blocks.
    const folder = await open(dirname(file), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (cause) {
    const full = cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT');
    const code = full ? 'RS_DISK_FULL' : 'RS_FILE_UNREADABLE';
    throw new RollstreamError(code, `cannot write ${file}`, { cause, facts: { file } });
  }
}
