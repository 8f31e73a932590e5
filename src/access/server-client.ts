import { RollstreamError } from '../errors.ts';
import { errorOfBody } from '../server/error-response.ts';

export interface ServerAddress {
  readonly url: string;
  readonly token: string | null;
}

export interface ServerRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With query. */
  readonly path: string;
  readonly body?: { readonly type: string; readonly bytes: string | Uint8Array };
  readonly signal?: AbortSignal;
}

/** Requests to a running server; its errors arrive as they were thrown there. */
export type ServerClient = (request: ServerRequest) => Promise<Response>;

export function createServerClient({ url, token }: ServerAddress): ServerClient {
  return async ({ method = 'GET', path, body, signal }) => {
    let response: Response;
    try {
      response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': body.type }),
        },
        ...(body === undefined ? {} : { body: body.bytes }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      throw new RollstreamError('RS_SERVER_UNREACHABLE', `the server at ${url} does not answer`, { cause });
    }
    if (response.ok) return response;
    const text = await response.text();
    throw errorOf(text) ?? new RollstreamError('RS_SERVER_UNREACHABLE', `${url}${path}: ${response.status}`);
  };
}

function errorOf(text: string): RollstreamError | null {
  try {
    return errorOfBody(JSON.parse(text));
  } catch {
    return null;
  }
}
