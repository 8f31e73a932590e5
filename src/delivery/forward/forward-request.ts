import type { Logger } from 'pino';
import { RollstreamError } from '../../errors.ts';
import type { WhileWanted } from '../../server/while-wanted.ts';
import { startingError } from '../session-errors.ts';
import type { OwnerUrl } from './owner-url.ts';

export interface ForwardDeps {
  /** This process grants: nothing is forwarded. */
  readonly isOwner: () => boolean;
  readonly ownerUrl: OwnerUrl;
  /** Of this server. */
  readonly ownUrl: string;
  readonly log: Logger;
}

/** The answer of the one that grants; null: the request is answered here. RS_STARTING while nobody is known to grant. */
export type ForwardRequest = (
  request: Request,
  whileWanted: WhileWanted,
  /** Of a request whose body was read before. */
  bodyOf?: () => Promise<ArrayBuffer>,
) => Promise<Response | null>;

/** What only the one that grants can answer. */
const OF_DELIVERY =
  /^(?:POST \/v1\/(?:leases(?:\/.*)?|versions|runs\/[^/]+\/(?:checkpoints|rewind|fork))|GET \/v1\/runs\/[^/]+\/delivery)$/;
/** Set on what was forwarded: it is not forwarded again, so that two that take each other for the owner end it there. */
const FORWARDED = 'x-rollstream-forwarded';
/** About the connection, or checked here already (a page of this server is of another origin there). */
const NOT_SENT = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'keep-alive', 'origin'];
/** About the bytes on the connection, which fetch has undone. */
const NOT_ANSWERED = ['connection', 'content-encoding', 'transfer-encoding', 'keep-alive'];

/** The request as it came, the same token included: who may ask, and for which run, is checked there, too. */
export function createForwardRequest({ isOwner, ownerUrl, ownUrl, log }: ForwardDeps): ForwardRequest {
  return async function forwardRequest(request, whileWanted, bodyOf = () => request.arrayBuffer()) {
    const { pathname, search } = new URL(request.url);
    if (isOwner() || !OF_DELIVERY.test(`${request.method} ${pathname}`)) return null;
    if (request.headers.has(FORWARDED)) throw startingError();
    const url = await ownerUrl();
    if (url === null || url === ownUrl) throw startingError();
    const headers = new Headers(request.headers);
    for (const name of NOT_SENT) headers.delete(name);
    headers.set(FORWARDED, '1');
    const { method } = request;
    const body = method === 'GET' ? null : await bodyOf();
    try {
      const target = new URL(`${pathname}${search}`, url);
      const answer = await whileWanted(request.signal, (signal) => fetch(target, { method, headers, body, signal }));
      if (answer === null) throw startingError();
      const answered = new Headers(answer.headers);
      for (const name of NOT_ANSWERED) answered.delete(name);
      return new Response(answer.body, { status: answer.status, headers: answered });
    } catch (error) {
      if (error instanceof RollstreamError) throw error;
      // It is gone, and whoever takes over claims in a moment: the same is asked again then.
      log.warn({ err: error, url }, 'whoever grants leases does not answer');
      throw startingError();
    }
  };
}
