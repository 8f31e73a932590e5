import { readFileSync } from 'node:fs';
import type { AnswerHead, CallEnd, CallHead } from './call-head.ts';
import { FRAME, FRAME_HEAD_BYTES } from './frames.ts';

export interface RecordedPiece {
  /** When it came, from the beginning of the call. */
  readonly sinceUs: number;
  readonly bytes: Buffer;
}

/** A call as its file tells it. */
export interface RecordedCall {
  readonly head: CallHead;
  readonly request: Buffer;
  /** null: the upstream had not begun to answer. */
  readonly answer: (AnswerHead & { readonly sinceUs: number }) | null;
  readonly pieces: readonly RecordedPiece[];
  /** null: the proxy was killed before it ended. */
  readonly end: (CallEnd & { readonly sinceUs: number }) | null;
}

/** null: the proxy was killed before the request was written whole, and no client had been answered; or the file waits for another call. What follows a torn frame is none. */
export function readCall(path: string): RecordedCall | null {
  const bytes = readFileSync(path);
  let head: CallHead | null = null;
  let request: Buffer | null = null;
  let answer: RecordedCall['answer'] = null;
  let end: RecordedCall['end'] = null;
  const pieces: RecordedPiece[] = [];
  for (let at = 0; at + FRAME_HEAD_BYTES <= bytes.length; ) {
    const [kind, sinceUs] = [bytes.readUInt8(at), bytes.readUIntLE(at + 1, 6)];
    const from = at + FRAME_HEAD_BYTES;
    at = from + bytes.readUInt32LE(at + 7);
    if (at > bytes.length) break;
    const body = bytes.subarray(from, at);
    if (kind === FRAME.head) head = JSON.parse(body.toString('utf8'));
    else if (kind === FRAME.request) request = body;
    else if (kind === FRAME.answer) answer = { ...JSON.parse(body.toString('utf8')), sinceUs };
    else if (kind === FRAME.piece) pieces.push({ sinceUs, bytes: body });
    else if (kind === FRAME.end) end = { ...JSON.parse(body.toString('utf8')), sinceUs };
  }
  return head === null || request === null ? null : { head, request, answer, pieces, end };
}
