import { closeSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerHead, CallEnd, CallHead } from './call-head.ts';
import { createFileReuse, type FileReuse, type Reuse } from './file-reuse.ts';
import { FRAME, type Frame, type FrameKind, framesAsBytes } from './frames.ts';

export const CALL_SUFFIX = '.call';

/**
 * The file of one call, written before anything of its answer is passed on: what a client has seen outlives a kill -9 of the proxy (not
 * a crash of the machine: nothing is fsynced). It is emptied or deleted by whoever has made events of it. What the disk refuses throws.
 */
export interface CallFile {
  readonly path: string;
  /** The head once more, in the place of the first: the upstream refused what was asked for, and was asked again. */
  head(head: CallHead): void;
  answer(head: AnswerHead): void;
  piece(bytes: Uint8Array): void;
  /** Answer and pieces wait in memory until this, or until they are many: it is called before a client is sent anything of them. */
  flush(): void;
  /** Nothing is written after it. What is to be told once the file has been read; null: nothing. */
  end(end: CallEnd): Reuse | null;
  /** It is closed and gone: what it would tell is not what the client saw. Throws nothing. */
  abandon(): void;
}

const NO_REUSE = createFileReuse(0);
/** A writing costs more than its bytes. */
const MOST_WAITING_BYTES = 256 * 1024;

/** `folder` is there. `sinceUs`: by a monotonic clock, from the beginning of the call. */
export function openCallFile(
  folder: string,
  head: CallHead,
  request: Uint8Array,
  sinceUs: () => number,
  files: FileReuse = NO_REUSE,
): CallFile {
  const path = join(folder, `${head.id}${CALL_SUFFIX}`);
  const file = files.open(path);
  let waiting: Frame[] = [];
  let waitingBytes = 0;
  const flush = (): void => {
    if (waiting.length === 0) return;
    const all = framesAsBytes(waiting);
    waiting = [];
    waitingBytes = 0;
    // A disk that is nearly full, or a signal, takes a part.
    for (let done = 0; done < all.length; ) done += writeSync(file, all, done, all.length - done);
  };
  const add = (kind: FrameKind, bytes: Uint8Array): void => {
    waiting.push({ kind, sinceUs: sinceUs(), bytes });
    waitingBytes += bytes.length;
  };
  const addJson = (kind: FrameKind, value: object): void => add(kind, Buffer.from(JSON.stringify(value), 'utf8'));
  const openFile: CallFile = {
    path,
    head(again) {
      addJson(FRAME.head, again);
      flush();
    },
    answer: (answer) => addJson(FRAME.answer, answer),
    piece(bytes) {
      add(FRAME.piece, bytes);
      if (waitingBytes > MOST_WAITING_BYTES) flush();
    },
    flush,
    end(end) {
      addJson(FRAME.end, end);
      flush();
      return files.ended(path, file);
    },
    abandon() {
      try {
        closeSync(file);
        unlinkSync(path);
      } catch {
        // A disk that cannot even do that: whoever reads it finds no end.
      }
    },
  };
  try {
    addJson(FRAME.head, head);
    add(FRAME.request, request);
    flush();
  } catch (error) {
    openFile.abandon();
    throw error;
  }
  return openFile;
}
