import { closeSync, openSync, renameSync, unlinkSync } from 'node:fs';

/** Told of a file that is whole, by whoever read it: it is empty now, or somebody else's. */
export type Reuse = (isEmpty: boolean) => void;

/** Opens the files of calls. */
export interface FileReuse {
  /** An empty file that is appended to. Throws what the disk says. */
  open(path: string): number;
  /** Nothing is written after it. null: it is closed, and whoever reads it removes it. */
  ended(path: string, file: number): Reuse | null;
  /** Removes what waits to be used again. */
  close(): void;
}

interface HeldFile {
  readonly path: string;
  readonly file: number;
}

/**
 * `most`: files that are held open, of calls that ended. They are used again under another name: some file systems take longer to make a
 * file than a call takes, the more so the more were removed before. One that is left behind by a process that was killed is empty,
 * and tells of no call.
 */
export function createFileReuse(most: number): FileReuse {
  const spare: HeldFile[] = [];
  let held = 0;
  let isClosed = false;

  function spareAs(path: string): number | null {
    const one = spare.pop();
    if (one === undefined) return null;
    held -= 1;
    try {
      renameSync(one.path, path);
      return one.file;
    } catch {
      // Somebody has removed it, or the disk refuses: then it does so of a new one.
      closeSync(one.file);
      return null;
    }
  }

  return {
    open: (path) => spareAs(path) ?? openSync(path, 'ax', 0o600),
    ended(path, file) {
      if (held >= most) {
        closeSync(file);
        return null;
      }
      held += 1;
      return function reuse(isEmpty) {
        if (isEmpty && !isClosed) {
          spare.push({ path, file });
          return;
        }
        held -= 1;
        closeSync(file);
        if (isEmpty) unlinkSync(path);
      };
    },
    close() {
      isClosed = true;
      for (const { path, file } of spare.splice(0)) {
        closeSync(file);
        unlinkSync(path);
      }
    },
  };
}
