import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../config/make-folder.ts';
import { type BlobFault, type BlobStore, isSha256 } from './blob-store.ts';
import { removeBlobs, removeOldBlobs } from './remove-old-blobs.ts';
import { toBlobError } from './to-blob-error.ts';

/** Says that a folder is one of blobs. */
const MARKER = 'rollstream-blobs';
const READ_BYTES = 1 << 20;

/**
 * A folder of blobs, `<first two digits>/<sha256>`, made when the first is written. Several processes may share it.
 *
 * | dies                          | found after the restart                                                        |
 * |-------------------------------|--------------------------------------------------------------------------------|
 * | before the rename             | a draft, which nothing names; removed with the old blobs                       |
 * | after it, before the sync     | nothing, or the whole blob: its bytes were on disk before its name was         |
 *
 * A FOLDER WITHOUT ITS MARKER IS NOT EMPTY. 1 the share is not mounted, its mount point is an empty folder; 2 each blob would be
 * missing, and each trajectory undeliverable for good. It is an outage instead.
 */
export function openBlobFolder(root: string): BlobStore {
  /** Folders of this process's blobs, each known to be on disk. */
  const made = new Map<string, Promise<void>>();

  const make = async (folder: string): Promise<void> => {
    await makeFolder(folder);
    const marker = await open(join(root, MARKER), 'a');
    await syncAndClose(marker);
    await syncFolder(root);
    await syncFolder(dirname(root));
  };

  /** Once a process, whoever created it: who created it may not have synced it yet. */
  const madeFolder = (folder: string): Promise<void> => {
    const known = made.get(folder);
    if (known !== undefined) return known;
    const making = make(folder).catch((error: unknown) => {
      made.delete(folder);
      throw error;
    });
    made.set(folder, making);
    return making;
  };

  const pathOf = (sha256: string): string => {
    if (!isSha256(sha256)) throw new Error(`bug: not a SHA-256: ${sha256}`);
    return join(root, sha256.slice(0, 2), sha256);
  };

  /** null: it is not there, though the folder is. */
  const openBlob = async (sha256: string): Promise<FileHandle | null> => {
    try {
      return await open(pathOf(sha256), 'r');
    } catch (cause) {
      if (!isMissing(cause)) throw toBlobError(cause, root);
    }
    await stat(join(root, MARKER)).catch((cause: unknown) => {
      throw toBlobError(cause, root);
    });
    return null;
  };

  const check = async (file: FileHandle, sha256: string): Promise<number | BlobFault> => {
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, start: 0, highWaterMark: READ_BYTES })) {
      hash.update(chunk);
      length += chunk.length;
    }
    return hash.digest('hex') === sha256 ? length : 'blob_damaged';
  };

  return {
    async put({ sha256, bytes }) {
      const path = pathOf(sha256);
      const folder = dirname(path);
      try {
        await madeFolder(folder);
        const draft = `${path}.${randomUUID()}.part`;
        const file = await open(draft, 'wx');
        try {
          await file.writeFile(bytes);
        } finally {
          await syncAndClose(file);
        }
        // Also where it exists: it may be damaged, or about to be removed as an old one.
        await rename(draft, path);
        await syncFolder(folder);
      } catch (cause) {
        made.delete(folder);
        throw toBlobError(cause, root);
      }
    },

    async read(sha256) {
      const file = await openBlob(sha256);
      if (file === null) return 'blob_missing';
      try {
        const bytes = await file.readFile();
        return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : 'blob_damaged';
      } catch (cause) {
        throw toBlobError(cause, root);
      } finally {
        await file.close();
      }
    },

    async stream(sha256) {
      const file = await openBlob(sha256);
      if (file === null) return 'blob_missing';
      try {
        const length = await check(file, sha256);
        // Of the same file, whatever its name stands for by then: blobs are replaced, never written into.
        if (typeof length === 'number')
          return { length, body: file.createReadStream({ start: 0, highWaterMark: READ_BYTES }) };
        await file.close();
        return length;
      } catch (cause) {
        await file.close();
        throw toBlobError(cause, root);
      }
    },

    async faultOf({ sha256, length }) {
      const file = await openBlob(sha256);
      if (file === null) return 'blob_missing';
      try {
        return (await check(file, sha256)) === length ? null : 'blob_damaged';
      } catch (cause) {
        throw toBlobError(cause, root);
      } finally {
        await file.close();
      }
    },

    removeOld: (beforeMs) =>
      removeOldBlobs(root, beforeMs).catch((cause: unknown) => {
        throw toBlobError(cause, root);
      }),

    remove: (sha256s, beforeMs) =>
      removeBlobs(root, sha256s, beforeMs).catch((cause: unknown) => {
        throw toBlobError(cause, root);
      }),
  };
}

async function syncAndClose(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  await syncAndClose(await open(path, 'r'));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
