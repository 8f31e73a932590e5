import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseError } from '@clickhouse/client';
import { RollstreamError } from '../errors.ts';

interface HttpAnswer {
  readonly stream: Readable;
  readonly http_status_code?: number;
  readonly response_headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Refusals that pass: timeout, too early, too many requests. */
const PASSING_STATUS = new Set([408, 425, 429]);

/**
 * The body of an answer, read to its end so that the socket is free again; throws the server's error. One that is not
 * ClickHouse's own comes from what stands before it, or from another server altogether: the status tells which.
 */
export async function answerOf({
  stream,
  http_status_code: status = 0,
  response_headers,
}: HttpAnswer): Promise<Buffer> {
  const body = await buffer(stream);
  if (status >= 200 && status < 300 && response_headers['x-clickhouse-exception-code'] === undefined) return body;
  const text = body.toString('utf8').trim();
  const error = parseError(text);
  if ('code' in error) throw error;
  const passes = status >= 500 || PASSING_STATUS.has(status);
  const said = text === '' ? '' : `: ${text.slice(0, 200)}`;
  throw new RollstreamError(
    passes ? 'RS_STORE_UNREACHABLE' : 'RS_STORE_REFUSED',
    `the ClickHouse server answered ${status}${said}`,
  );
}
