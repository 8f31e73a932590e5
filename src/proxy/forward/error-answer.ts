import type { ServerResponse } from 'node:http';
import { RollstreamError } from '../../errors.ts';

/** An error of the proxy's own, in the shape of rollstream's API. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function errorAnswer(error: unknown, status?: number): ErrorAnswer {
  const known =
    error instanceof RollstreamError
      ? error
      : new RollstreamError('RS_INTERNAL', 'internal error; the log of the proxy has more');
  const { field, retry_after = 1 } = known.facts;
  const told = { code: known.code, message: known.message, ...(typeof field === 'string' ? { field } : {}) };
  const body = JSON.stringify({ error: told });
  return {
    status: status ?? known.status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...(known.retriable ? { 'retry-after': String(retry_after) } : {}),
    },
    body,
  };
}

/** `close`: the rest of what the client sends is not read. */
export function answerError(res: ServerResponse, error: unknown, { close = false } = {}): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { status, headers, body } = errorAnswer(error);
  res.writeHead(status, close ? { ...headers, connection: 'close' } : headers).end(body);
}

/** The head and body of an answer on a connection that is no request: what came is no HTTP. */
export function rawErrorAnswer(error: RollstreamError, status: number, reason: string): string {
  const { headers, body } = errorAnswer(error, status);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`;
}
