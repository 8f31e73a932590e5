import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../config/make-folder.ts';
import { RollstreamError } from '../../errors.ts';

/** LMDB's first meta page as lmdb-js writes it: magic and version behind a page header. */
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const VERSION_AT = 28;
const VERSION = 2;
/** Two meta pages, written at once when the file is created. */
const SMALLEST_BYTES = 8192;
/** For the first pages of a new log. An old one can be opened, and read, on a full disk. */
const ROOM_BYTES = 1024 * 1024;

/** Looks at the folder before LMDB does: on a file that is not its own, or without room for a new one, lmdb-js takes the process down. */
export async function checkLogFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const start = await readStart(join(folder, 'data.mdb'));
  if (start.length === 0) return checkRoom(folder);
  const known =
    start.length === SMALLEST_BYTES &&
    start.readUInt32LE(MAGIC_AT) === MAGIC &&
    start.readUInt32LE(VERSION_AT) === VERSION;
  if (!known) {
    throw new RollstreamError(
      'RS_DATA_VERSION',
      `${join(folder, 'data.mdb')} is no log, or not of a version known here`,
      {
        facts: { folder },
      },
    );
  }
}

async function checkRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < ROOM_BYTES) {
    throw new RollstreamError('RS_DISK_FULL', `no room for a new log in ${folder}: ${bavail * bsize} bytes are free`, {
      facts: { folder, free: bavail * bsize },
    });
  }
}

/** At most SMALLEST_BYTES; none when there is no file. */
async function readStart(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SMALLEST_BYTES), 0, SMALLEST_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
