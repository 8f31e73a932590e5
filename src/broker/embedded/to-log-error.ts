import { statfs } from 'node:fs/promises';
import { RollstreamError } from '../../errors.ts';

const ENOSPC = 28;
const EIO = 5;
const EDQUOT = process.platform === 'darwin' ? 69 : 122;
const MDB_MAP_FULL = -30792;

/** What lmdb-js says of a failed commit: its own error carries the reason as a promise that rejects. */
async function causeOf(error: unknown): Promise<unknown> {
  if (error instanceof Error && 'commitError' in error && error.commitError instanceof Promise) {
    return error.commitError.then(
      () => error,
      (cause: unknown) => cause,
    );
  }
  return error;
}

async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Why a commit of about `bytes` failed: RS_DISK_FULL, where trying again later helps, or RS_LOG_FAILED. */
export async function toLogError(error: unknown, folder: string, bytes: number): Promise<RollstreamError> {
  const cause = await causeOf(error);
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const free = await freeBytes(folder);
  // LMDB reports a short write, which is how a disk runs full, as EIO.
  const full =
    code === ENOSPC || code === EDQUOT || code === MDB_MAP_FULL || (code === EIO && free < 2 * bytes + 65_536);
  if (full) {
    return new RollstreamError(
      'RS_DISK_FULL',
      `no room in ${folder} for ${bytes} more bytes: nothing of it was written`,
      {
        cause,
        facts: { folder, bytes, free },
      },
    );
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RollstreamError('RS_LOG_FAILED', `the log in ${folder} cannot be written: ${reason}`, { cause });
}
