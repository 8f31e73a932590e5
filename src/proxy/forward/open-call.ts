import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { RollstreamError } from '../../errors.ts';
import type { CallEnd } from '../journal/call-head.ts';
import { checkHead, recordedHeaders } from './answer/answer-head.ts';
import { type Cutter, createBodyCutter, createStreamCutter, heldCutter } from './answer/cutter.ts';
import { relay } from './answer/relay.ts';
import { isRefusal } from './ask/refused-askings.ts';
import type { Asking } from './ask/what-to-ask.ts';
import type { CallRecord } from './call-record.ts';
import { answerError } from './error-answer.ts';
import { createSilence } from './silence.ts';
import { type Upstream, type UpstreamRequest, upstreamProblem } from './upstream.ts';

export interface OpenCallParts {
  readonly upstream: Upstream;
  readonly res: ServerResponse;
  readonly record: CallRecord;
  readonly silenceMs: number;
  /** `asked` null: as the client sent it. */
  readonly requestOf: (body: Buffer, asked: Asking | null) => UpstreamRequest;
  readonly ownBody: Buffer;
  /** null: nothing is asked for in the client's place. */
  readonly asking: { readonly asked: Asking; readonly body: Buffer; readonly isShown: boolean } | null;
  /** What was asked was refused, and the client's own bytes are sent instead. */
  readonly onAskedAgain: () => void;
  /** The client's own bytes were taken where the others were not. */
  readonly onAskingRefused: () => void;
}

/** A call at the upstream, from its first byte until the client has the last one, or none comes any more. */
export interface OpenCall {
  readonly ended: Promise<CallEnd>;
  /** The proxy ends. */
  stop(): void;
}

export function openCall(parts: OpenCallParts): OpenCall {
  const { upstream, res, record, asking } = parts;
  let request: ClientRequest | null = null;
  let isOver = false;
  let wasRefused = false;
  let resolve: (end: CallEnd) => void = () => {};
  const ended = new Promise<CallEnd>((done) => {
    resolve = done;
  });

  const over = (how: CallEnd['how'], detail: string | null): boolean => {
    if (isOver) return false;
    isOver = true;
    silence.stop();
    res.off('close', onClose);
    if (how !== 'complete') request?.destroy();
    record.end({ how, detail });
    resolve({ how, detail });
    return true;
  };
  const silence = createSilence(parts.silenceMs, () => {
    const message = `the upstream ${upstream.host} said nothing for ${parts.silenceMs / 1000} s (--upstream-timeout)`;
    if (over('upstream_timeout', message)) giveUp(res, new RollstreamError('RS_UPSTREAM_TIMEOUT', message));
  });
  const onClose = (): void => {
    if (res.writableFinished) over('complete', null);
    else over('client_gone', null);
  };
  res.once('close', onClose);

  const failed = (error: unknown): void => {
    const problem = upstreamProblem(upstream.host, error);
    if (over('upstream_unreachable', problem.message)) answerError(res, problem);
  };

  async function send(body: Buffer, asked: Asking | null): Promise<void> {
    let opened: ClientRequest;
    try {
      opened = await upstream.open(parts.requestOf(body, asked));
    } catch (error) {
      failed(error);
      return;
    }
    request = opened;
    let answer: IncomingMessage | null = null;
    // Behind the head of an answer it is the answer that fails.
    opened.on('error', (error) => {
      if (answer === null && request === opened) failed(error);
    });
    if (isOver) {
      opened.destroy();
      return;
    }
    opened.once('response', (got) => {
      answer = got;
      silence.heard();
      if (asked !== null && isRefusal(got.statusCode ?? 0)) {
        got.resume().on('error', () => {});
        wasRefused = true;
        parts.onAskedAgain();
        void send(parts.ownBody, null);
        return;
      }
      // Had the client's own bytes been refused too, it would have been they.
      if (wasRefused && !isRefusal(got.statusCode ?? 0)) parts.onAskingRefused();
      try {
        pass(got, asked);
      } catch (error) {
        failed(error);
      }
    });
    opened.end(body);
    // No answer is heard of before the next turn: the engine need not wait for the file.
    record.begin();
  }

  function pass(answer: IncomingMessage, asked: Asking | null): void {
    checkHead(answer);
    record.answer({ status: answer.statusCode ?? 0, headers: recordedHeaders(answer) });
    const cutter = asked === null || asking?.isShown === true ? null : cutterFor(answer, asked);
    relay(answer, res, {
      cutter: cutter?.cutter ?? null,
      holdsHead: cutter?.holdsHead ?? false,
      onPiece(chunk) {
        silence.heard();
        record.piece(chunk);
      },
      onSend: record.flush,
      onPaused(isPaused) {
        // It is the client that says nothing.
        if (isPaused) silence.pause();
        else silence.resume();
      },
      onWhole: silence.stop,
      onCut(error) {
        over('upstream_cut', error?.message ?? 'the connection was closed before the answer was whole');
      },
    });
  }

  // It may have left while the engine was asked for its name.
  if (res.destroyed) onClose();
  else void send(asking?.body ?? parts.ownBody, asking?.asked ?? null);
  return {
    ended,
    stop() {
      if (over('proxy_stopped', null)) giveUp(res, new RollstreamError('RS_CLOSED', 'the proxy is ending'));
    },
  };
}

/** An error, or where the answer has begun no end. */
function giveUp(res: ServerResponse, error: RollstreamError): void {
  if (res.headersSent) res.socket?.destroySoon();
  else answerError(res, error);
}

function cutterFor(
  answer: IncomingMessage,
  { cut, emptySaysNothing }: Asking,
): { cutter: Cutter; holdsHead: boolean } | null {
  // Compressed although it was asked not to be: it stays as it is.
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') return null;
  const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const holdsHead = answer.headers['content-length'] !== undefined;
  if (type === 'application/json') return { cutter: createBodyCutter(cut), holdsHead };
  if (type !== 'text/event-stream') return null;
  const stream = createStreamCutter(cut, emptySaysNothing);
  return { cutter: holdsHead ? heldCutter(stream) : stream, holdsHead };
}
