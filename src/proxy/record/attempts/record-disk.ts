import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunSpools } from '../run-spools.ts';

/** Every change of what outlives the recording, so that a test may stop it at any of them. */
export interface RecordDisk {
  /** What is to be done, before any of it is. */
  intend(text: string): void;
  /** It was done. */
  done(): void;
  /** What is still to be done; null: nothing. */
  intended(): string | null;
  /** Behind the first `at` bytes of the file; what stood there is gone. */
  write(path: string, at: number, text: string): void;
  remove(path: string): void;
  /** false: there is no room. */
  spool(lines: string): boolean;
  /** Nothing is written after it. */
  close(): void;
}

/** Files that stay open: to open one costs more than to write to it. */
const MOST_OPEN = 256;
/** Of the intent's file, in front of the text: whether it is still to be done, and how long it is. */
const HEAD_BYTES = 16;
const LARGE = 8 * 1024 * 1024;

/** `isReused`: that file is emptied, not removed: somebody else has it open, and writes to it again. */
export function createRecordDisk(
  folder: string,
  spool: Pick<RunSpools, 'append' | 'close'>,
  isReused: (path: string) => boolean = () => false,
): RecordDisk {
  const files = createOpenFiles();
  const intent = openSync(join(folder, 'intent'), 'a+', 0o600);
  closeSync(intent);
  const file = openSync(join(folder, 'intent'), 'r+');
  const head = (mark: '+' | '-', length: number): Buffer =>
    Buffer.from(`${mark}${String(length).padStart(HEAD_BYTES - 1)}`);
  let isLarge = fstatSync(file).size > LARGE;
  return {
    intend(text) {
      const bytes = Buffer.from(text, 'utf8');
      isLarge ||= bytes.length > LARGE;
      writeAll(file, bytes, HEAD_BYTES);
      // So little is written whole or not at all, as far as the death of a process goes.
      writeAll(file, head('+', bytes.length), 0);
    },
    done() {
      writeAll(file, head('-', 0), 0);
      if (isLarge) ftruncateSync(file, HEAD_BYTES);
      isLarge = false;
    },
    intended() {
      const bytes = readFileSync(join(folder, 'intent'));
      if (bytes[0] !== PENDING) return null;
      const length = Number(bytes.toString('latin1', 1, HEAD_BYTES));
      const text = bytes.subarray(HEAD_BYTES, HEAD_BYTES + length);
      return text.length === length ? text.toString('utf8') : null;
    },
    write: files.write,
    remove(path) {
      files.close(path);
      if (isReused(path) && existsSync(path)) truncateSync(path, 0);
      else rmSync(path, { force: true });
    },
    spool: (lines) => spool.append(lines),
    close() {
      files.closeAll();
      closeSync(file);
      spool.close();
    },
  };
}

const PENDING = '+'.charCodeAt(0);

/** In the order of their last use. */
function createOpenFiles(): Pick<RecordDisk, 'write'> & { close(path: string): void; closeAll(): void } {
  const open = new Map<string, { readonly file: number; size: number }>();

  function close(path: string): void {
    const known = open.get(path);
    open.delete(path);
    if (known !== undefined) closeSync(known.file);
  }

  function opened(path: string): { readonly file: number; size: number } {
    const known = open.get(path);
    open.delete(path);
    const file = known?.file ?? openSync(path, 'a', 0o600);
    const one = known ?? { file, size: fstatSync(file).size };
    open.set(path, one);
    const [oldest] = open.keys();
    if (open.size > MOST_OPEN && oldest !== undefined) close(oldest);
    return one;
  }

  return {
    close,
    closeAll() {
      for (const path of [...open.keys()]) close(path);
    },
    write(path, at, text) {
      const one = opened(path);
      try {
        if (one.size !== at) ftruncateSync(one.file, at);
        const bytes = Buffer.from(text, 'utf8');
        writeAll(one.file, bytes, null);
        one.size = at + bytes.length;
      } catch (error) {
        // How much of it stands there is for the next to find out.
        close(path);
        throw error;
      }
    },
  };
}

/** `at`: null: at the end. */
function writeAll(file: number, bytes: Buffer, at: number | null): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, at === null ? null : at + done);
  }
}
