import { closeSync, mkdirSync, openSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerHead, CallEnd, CallHead } from './call-head.ts';
import { FRAME, type FrameKind, frameHead } from './frames.ts';

export const CALL_SUFFIX = '.call';

/**
 * The file of one call, written before anything is passed on: what a client has seen outlives a kill -9 of the proxy (not a crash of
 * the machine: nothing is fsynced). It is deleted by whoever has made events of it.
 */
export interface CallFile {
  readonly path: string;
  answer(head: AnswerHead): void;
  piece(bytes: Uint8Array): void;
  /** Nothing is written after it. */
  end(end: CallEnd): void;
}

/** `sinceUs`: by a monotonic clock, from the beginning of the call. Throws where the disk refuses. */
export function openCallFile(folder: string, head: CallHead, request: Uint8Array, sinceUs: () => number): CallFile {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${head.id}${CALL_SUFFIX}`);
  const file = openSync(path, 'ax', 0o600);
  const frame = (kind: FrameKind, bytes: Uint8Array): void => {
    const parts = [frameHead(kind, sinceUs(), bytes.length), bytes];
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let written = writevSync(file, parts);
    // A disk that is nearly full, or a signal, takes a part.
    for (let rest = Buffer.concat(parts); written < length; rest = Buffer.concat(parts)) {
      written += writevSync(file, [rest.subarray(written)]);
    }
  };
  const json = (kind: FrameKind, value: object): void => frame(kind, Buffer.from(JSON.stringify(value), 'utf8'));
  json(FRAME.head, head);
  frame(FRAME.request, request);
  return {
    path,
    answer: (answer) => json(FRAME.answer, answer),
    piece: (bytes) => frame(FRAME.piece, bytes),
    end(end) {
      try {
        json(FRAME.end, end);
      } finally {
        closeSync(file);
      }
    },
  };
}
