import { randomUUID } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { RollstreamError } from '../../errors.ts';

/** A report on its way to a file: under the file's own name it is whole, or not there. */
export interface ReportFile {
  readonly handle: FileHandle;
  /** It is whole: from here on it has its name. */
  keep(): Promise<void>;
  /** It will never be whole: what was written goes, and an earlier report stays. */
  discard(): Promise<void>;
}

/**
 * Opened before anything is read, so that a folder that is not there costs nothing. `inputs` are never written over, but for an
 * earlier report among them, as in a folder that is audited again.
 */
export async function openReportFile(path: string, inputs: readonly string[]): Promise<ReportFile> {
  try {
    const before = await statOf(path);
    if (before !== null && !before.isDirectory())
      for (const input of inputs) {
        const other = await statOf(input);
        if (other?.ino === before.ino && other.dev === before.dev && !(await isReport(path)))
          throw new RollstreamError('RS_USAGE', `${path} is one of the files to be audited: it is not written over`, {
            facts: { path },
          });
      }
    // A terminal, a pipe or /dev/null has no name to take.
    if (before !== null && !before.isFile()) {
      const handle = await open(path, 'w');
      return { handle, keep: () => handle.close(), discard: () => handle.close() };
    }
    const target = before === null ? path : await realpath(path);
    const partial = `${target}.${randomUUID().slice(0, 8)}.partial`;
    const handle = await open(partial, 'wx');
    return {
      handle,
      async keep() {
        await handle.close();
        await rename(partial, target);
      },
      async discard() {
        await handle.close();
        await rm(partial, { force: true });
      },
    };
  } catch (cause) {
    if (cause instanceof RollstreamError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_USAGE', `${path} cannot be written: ${why}`, { cause, facts: { path } });
  }
}

async function statOf(path: string) {
  return stat(path).catch(() => null);
}

/** Reports begin with markup; no rollouts do. */
async function isReport(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, 0);
    return bytesRead === 1 && buffer[0] === 0x3c;
  } finally {
    await file.close();
  }
}
