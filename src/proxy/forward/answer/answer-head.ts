import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardedHeaders, joinedHeaders } from '../forwarded-headers.ts';

/** Statuses without a body, whatever their head says. */
const NO_BODY = new Set([204, 304]);
const NOT_A_REASON = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws where no client could be told it. */
export function checkHead({ statusCode = 0 }: IncomingMessage): void {
  if (statusCode < 200) throw new Error(`what it answered is no HTTP (status ${statusCode})`);
}

/** `bodyBytes`: of a body from which something may have been cut. */
export function writeHead(answer: IncomingMessage, res: ServerResponse, bodyBytes: number | null): void {
  const { statusCode = 0, statusMessage = '' } = answer;
  const hasLength = answer.headers['content-length'] !== undefined;
  const replaced = new Map<string, string | null>();
  if (bodyBytes !== null && hasLength) replaced.set('content-length', String(bodyBytes));
  // Where nothing can come behind the body none is announced: node throws then.
  const hasBody = res.req.method !== 'HEAD' && !NO_BODY.has(statusCode);
  if (hasLength || !hasBody || res.req.httpVersion === '1.0') replaced.set('trailer', null);
  // The upstream's own date; and of the connection to the client nothing is said that the upstream did not say.
  res.sendDate = false;
  res.removeHeader('connection');
  // A reason with control characters says nothing, and may not be written.
  const reason = NOT_A_REASON.test(statusMessage) ? '' : statusMessage;
  res.writeHead(statusCode, reason, forwardedHeaders(answer.rawHeaders, replaced));
}

/** What a record keeps of an answer's head: no cookies. */
export function recordedHeaders(answer: IncomingMessage): Record<string, string> {
  const { 'set-cookie': _, ...kept } = joinedHeaders(answer.rawHeaders);
  return kept;
}
