import { link, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isSha256 } from './blob-store.ts';

/** How much older than a blob a draft has to be: one that is being written is younger. */
const DRAFT_MS = 24 * 3_600_000;

/**
 * Removes the blobs last written before `beforeMs`, and drafts that nobody finished. Other files are not ours.
 *
 * TAKEN OUT, THEN LOOKED AT AGAIN. 1 a blob is old; 2 a lane that replays writes it again, under the same name; 3 what is
 * unlinked is the new one, of which a record is about to tell.
 */
export async function removeOldBlobs(root: string, beforeMs: number): Promise<number> {
  let removed = 0;
  for (const folder of await namesIn(root)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await namesIn(join(root, folder))) {
      const path = join(root, folder, name);
      if (/^[0-9a-f]{64}\..*\.part$/.test(name)) {
        if (await isOlder(path, beforeMs - DRAFT_MS)) await unlink(path).catch(ignore('ENOENT'));
      } else if (isSha256(name) && (await isOlder(path, beforeMs)) && (await remove(path, beforeMs))) removed += 1;
    }
  }
  return removed;
}

/** The same of these blobs alone. */
export async function removeBlobs(root: string, sha256s: readonly string[], beforeMs: number): Promise<number> {
  let removed = 0;
  for (const sha256 of sha256s) {
    const path = join(root, sha256.slice(0, 2), sha256);
    if (isSha256(sha256) && (await isOlder(path, beforeMs)) && (await remove(path, beforeMs))) removed += 1;
  }
  return removed;
}

/** false: somebody else has removed it, or has written it again. */
async function remove(path: string, beforeMs: number): Promise<boolean> {
  const out = `${path}.old.part`;
  try {
    await rename(path, out);
    const isStillOld = await isOlder(out, beforeMs);
    if (!isStillOld) await link(out, path).catch(ignore('EEXIST'));
    await unlink(out);
    return isStillOld;
  } catch (error) {
    ignore('ENOENT')(error);
    return false;
  }
}

async function isOlder(path: string, beforeMs: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < beforeMs;
  } catch (error) {
    ignore('ENOENT')(error);
    return false;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    ignore('ENOENT')(error);
    return [];
  }
}

/** Rethrows what is another error. */
function ignore(code: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };
}
