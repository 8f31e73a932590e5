import type { IncomingMessage, ServerResponse } from 'node:http';
import { RollstreamError } from '../../errors.ts';
import { checkHead } from './answer/answer-head.ts';
import { relay } from './answer/relay.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { createSilence } from './silence.ts';
import { type Upstream, upstreamProblem } from './upstream.ts';

/** What is no model call: streamed on as it is, both ways, and recorded nowhere. */
export async function passThrough(
  req: IncomingMessage,
  res: ServerResponse,
  { upstream, target, silenceMs }: { readonly upstream: Upstream; readonly target: string; readonly silenceMs: number },
): Promise<void> {
  const isChunked = req.headers['transfer-encoding'] !== undefined;
  const hasBody = isChunked || req.headers['content-length'] !== undefined;
  const replaced = new Map<string, string | null>([
    ['host', upstream.host],
    ['expect', null],
  ]);
  const headers = forwardedHeaders(req.rawHeaders, replaced);
  if (isChunked) headers.push('transfer-encoding', 'chunked');
  const request = await upstream.open({ method: req.method ?? 'GET', target, headers });
  await new Promise<void>((resolve, reject) => {
    const silence = createSilence(silenceMs, () => {
      const message = `the upstream ${upstream.host} said nothing for ${silenceMs / 1000} s (--upstream-timeout)`;
      fail(new RollstreamError('RS_UPSTREAM_TIMEOUT', message));
    });
    const over = (): void => {
      silence.stop();
      request.destroy();
      resolve();
    };
    let isAnswered = false;
    const fail = (error: unknown): void => {
      if (!isAnswered) reject(error);
      else res.socket?.destroySoon();
      over();
    };
    res.once('close', () => {
      if (res.writableFinished) silence.stop();
      else over();
      resolve();
    });
    // Behind the head of an answer it is the answer that fails.
    request.on('error', (error) => {
      if (!isAnswered) fail(upstreamProblem(upstream.host, error));
    });
    const pass = (answer: IncomingMessage): void => {
      checkHead(answer);
      relay(answer, res, {
        ...{ cutter: null, holdsHead: false, onWhole: silence.stop, onCut: over },
        onPiece: () => silence.heard(),
        onSend: () => {},
        onPaused: (isPaused) => (isPaused ? silence.pause() : silence.resume()),
      });
      isAnswered = true;
    };
    request.once('response', (answer) => {
      try {
        pass(answer);
      } catch (error) {
        fail(upstreamProblem(upstream.host, error));
      }
    });
    if (!hasBody) {
      request.end();
      return;
    }
    req.on('data', () => silence.heard());
    req.pipe(request, { end: false });
    req.once('end', () => {
      if (isChunked && req.rawTrailers.length > 0) request.addTrailers(req.trailers);
      request.end();
    });
  });
}
