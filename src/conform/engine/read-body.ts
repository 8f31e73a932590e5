import type { IncomingMessage } from 'node:http';
import { isObject } from '../../server/request-value.ts';
import { RefusedRequest } from './asked.ts';
import type { Body } from './body-fields.ts';

/** A prompt of the longest context, as ids and as messages, is a tenth of it. */
const MOST_BYTES = 64 * 1024 ** 2;

/** Throws a RefusedRequest. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > MOST_BYTES)
      throw new RefusedRequest(413, 'BadRequestError', `the body has more than ${MOST_BYTES} bytes`);
    pieces.push(piece);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new RefusedRequest(400, 'BadRequestError', 'the body is no JSON');
  }
  if (!isObject(value)) throw new RefusedRequest(400, 'BadRequestError', 'the body: expected an object');
  return value;
}
