import { closeSync, openSync, unlinkSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerHead, CallEnd, CallHead } from './call-head.ts';
import { FRAME, type FrameKind, frameHead } from './frames.ts';

export const CALL_SUFFIX = '.call';

/**
 * The file of one call, written before anything is passed on: what a client has seen outlives a kill -9 of the proxy (not a crash of
 * the machine: nothing is fsynced). It is deleted by whoever has made events of it. What the disk refuses throws.
 */
export interface CallFile {
  readonly path: string;
  /** The head once more, in the place of the first: the upstream refused what was asked for, and was asked again. */
  head(head: CallHead): void;
  answer(head: AnswerHead): void;
  piece(bytes: Uint8Array): void;
  /** Answer and pieces wait in memory until this, or until they are many: it is called before a client is sent anything of them. */
  flush(): void;
  /** Nothing is written after it. */
  end(end: CallEnd): void;
  /** It is closed and gone: what it would tell is not what the client saw. Throws nothing. */
  abandon(): void;
}

/** A writing costs more than its bytes. */
const MOST_WAITING_BYTES = 256 * 1024;

/** `folder` is there. `sinceUs`: by a monotonic clock, from the beginning of the call. */
export function openCallFile(folder: string, head: CallHead, request: Uint8Array, sinceUs: () => number): CallFile {
  const path = join(folder, `${head.id}${CALL_SUFFIX}`);
  const file = openSync(path, 'ax', 0o600);
  const write = (parts: readonly Uint8Array[]): void => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let written = writevSync(file, parts);
    if (written === length) return;
    // A disk that is nearly full, or a signal, takes a part.
    const whole = Buffer.concat(parts);
    while (written < length) written += writevSync(file, [whole.subarray(written)]);
  };
  const framed = (kind: FrameKind, bytes: Uint8Array): Uint8Array[] => [
    frameHead(kind, sinceUs(), bytes.length),
    bytes,
  ];
  const json = (kind: FrameKind, value: object): Uint8Array[] =>
    framed(kind, Buffer.from(JSON.stringify(value), 'utf8'));
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = (more: readonly Uint8Array[] = []): void => {
    const parts = [...waiting, ...more];
    waiting = [];
    waitingBytes = 0;
    if (parts.length > 0) write(parts);
  };
  const wait = (parts: readonly Uint8Array[]): void => {
    for (const part of parts) {
      waiting.push(part);
      waitingBytes += part.length;
    }
    if (waitingBytes > MOST_WAITING_BYTES) flush();
  };
  const abandon = (): void => {
    try {
      closeSync(file);
    } finally {
      unlinkSync(path);
    }
  };
  const openFile: CallFile = {
    path,
    head: (again) => write(json(FRAME.head, again)),
    answer: (answer) => wait(json(FRAME.answer, answer)),
    piece: (bytes) => wait(framed(FRAME.piece, bytes)),
    flush: () => flush(),
    end(end) {
      flush(json(FRAME.end, end));
      closeSync(file);
    },
    abandon() {
      try {
        abandon();
      } catch {
        // A disk that cannot even do that: whoever reads it finds no end.
      }
    },
  };
  try {
    write([...json(FRAME.head, head), ...framed(FRAME.request, request)]);
  } catch (error) {
    openFile.abandon();
    throw error;
  }
  return openFile;
}
