import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeHead } from './answer-head.ts';
import type { Cutter } from './cutter.ts';

/** What is done beside passing an answer on. */
export interface RelayOptions {
  /** null: what comes is passed on as it comes. */
  readonly cutter: Cutter | null;
  /** The head says how long the body is: it waits for the cut. */
  readonly holdsHead: boolean;
  readonly onPiece: (chunk: Buffer) => void;
  /** Before the client is sent anything. */
  readonly onSend: () => void;
  /** The client takes no more for now, or again. */
  readonly onPaused: (isPaused: boolean) => void;
  /** All came, and is with the client's connection. */
  readonly onWhole: () => void;
  /** The upstream closed in the middle: what was passed on is sent, and the connection ends. */
  readonly onCut: (error: Error | null) => void;
}

/** Passes an answer on to a client, no faster than it takes it. */
export function relay(answer: IncomingMessage, res: ServerResponse, options: RelayOptions): void {
  const { cutter, holdsHead, onPiece, onSend, onPaused, onWhole, onCut } = options;
  let failure: Error | null = null;
  if (!holdsHead) {
    writeHead(answer, res, null);
    // A body of known length follows at once.
    if (answer.headers['content-length'] === undefined) {
      onSend();
      res.flushHeaders();
    }
  }
  const pass = (pieces: readonly Buffer[], wholeBytes: number | null): void => {
    if (pieces.length > 0 || wholeBytes !== null) onSend();
    if (!res.headersSent && (pieces.length > 0 || wholeBytes !== null)) writeHead(answer, res, wholeBytes);
    for (const piece of pieces) if (!res.write(piece)) pause();
  };
  const pause = (): void => {
    if (answer.isPaused()) return;
    answer.pause();
    onPaused(true);
    res.once('drain', () => {
      onPaused(false);
      answer.resume();
    });
  };
  answer.on('data', (chunk: Buffer) => {
    onPiece(chunk);
    // What is given before the end is not cut: it was too long to be held.
    pass(cutter === null ? [chunk] : cutter.push(chunk), null);
  });
  answer.once('error', (error) => {
    failure = error;
  });
  answer.once('end', () => {
    if (!answer.complete) return;
    const last = cutter?.end() ?? [];
    pass(last, sizeOf(last));
    if (answer.rawTrailers.length > 0) res.addTrailers(pairsOf(answer.rawTrailers));
    res.end();
    onWhole();
  });
  answer.once('close', () => {
    if (answer.complete || res.destroyed) return;
    onSend();
    if (!res.headersSent) writeHead(answer, res, null);
    res.flushHeaders();
    onCut(failure);
    // Not as if it were whole: neither the last chunk nor the length that was announced comes.
    res.socket?.destroySoon();
  });
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}
