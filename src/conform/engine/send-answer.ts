import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Play } from '../scenarios/scenario.ts';
import type { Answer } from './answer.ts';
import type { Frame, Shape } from './shapes/frame.ts';

export interface Sent {
  /** Completion tokens that the client was sent. */
  readonly tokens: number;
  readonly ended: 'complete' | 'client_gone' | 'reset';
}

export interface Sending {
  readonly response: ServerResponse;
  readonly answer: Answer;
  readonly shape: Shape;
  readonly play: Pick<Play, 'delayMs' | 'resetAfter' | 'pieceBytes'>;
  readonly tokensPerSecond: number | null;
  /** Called once, before the last bytes. */
  readonly tell: (sent: Sent) => void;
}

/** Sends an answer whole or in pieces, and cuts it where the script says so. */
export async function sendAnswer(sending: Sending): Promise<void> {
  const { response, answer, play } = sending;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // It may have left while its prompt was read.
  if (response.destroyed || response.socket === null || response.socket.destroyed) gone.abort();
  // A client that left is told of by `close`; what is written to it afterwards is no error of ours.
  response.on('error', () => gone.abort());
  if (play.delayMs !== undefined) await pause(play.delayMs, gone.signal);
  if (answer.asked.stream) await sendFrames(sending, gone.signal);
  else await sendWhole(sending, gone.signal);
}

async function sendWhole(
  { response, answer, shape, play, tokensPerSecond, tell }: Sending,
  gone: AbortSignal,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(shape.whole(answer)));
  if (tokensPerSecond !== null) await pause((answer.ids.length * 1000) / tokensPerSecond, gone);
  if (gone.aborted) return tell({ tokens: 0, ended: 'client_gone' });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  if (play.resetAfter === undefined) {
    tell({ tokens: answer.ids.length, ended: 'complete' });
    response.end(body);
    return;
  }
  tell({ tokens: 0, ended: 'reset' });
  cutAfter(response, body.subarray(0, body.length >> 1));
}

async function sendFrames(
  { response, answer, shape, play, tokensPerSecond, tell }: Sending,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted) return tell({ tokens: 0, ended: 'client_gone' });
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const begun = performance.now();
  let tokens = 0;
  let waiting: Frame | null = null;
  for (const frame of shape.frames(answer)) {
    if (waiting !== null) {
      if (tokensPerSecond !== null && waiting.tokens > tokens) {
        const dueMs = begun + (waiting.tokens * 1000) / tokensPerSecond - performance.now();
        if (dueMs > 0) await pause(dueMs, gone);
      }
      if (gone.aborted) return tell({ tokens, ended: 'client_gone' });
      tokens = waiting.tokens;
      if (play.resetAfter !== undefined && tokens >= play.resetAfter) {
        tell({ tokens, ended: 'reset' });
        return cutAfter(response, waiting.text);
      }
      if (play.pieceBytes !== undefined) await writeInPieces(response, waiting.text, play.pieceBytes);
      else if (!response.write(waiting.text)) await drained(response, gone);
    }
    waiting = frame;
  }
  if (gone.aborted) return tell({ tokens, ended: 'client_gone' });
  tell({ tokens: answer.ids.length, ended: 'complete' });
  response.end(waiting?.text ?? '');
}

/** Each in a turn of its own, so that none is joined with the next. */
async function writeInPieces(response: ServerResponse, text: string, length: number): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) {
    response.write(bytes.subarray(at, at + length));
    await nextTurn();
  }
}

/** The rest never comes: once these bytes are on their way the connection is reset, as of an engine that was killed. */
function cutAfter(response: ServerResponse, last: string | Buffer): void {
  response.write(last, () => setImmediate(() => response.socket?.resetAndDestroy()));
}

async function pause(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone }).catch(() => undefined);
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    response.once('drain', done);
    gone.addEventListener('abort', done, { once: true });
    if (gone.aborted) done();
  });
}
