/** The API said no, or could not be reached (status 0). */
export class RequestFailed extends Error {
  readonly status: number;
  /** Such as RS_QUERY_FAILED; empty: the answer was not the API's. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const UNAUTHORIZED = 'rollstream-unauthorized';

/** Called when a token is needed: the answer to any request may say so. */
export function onUnauthorized(ask: () => void): () => void {
  addEventListener(UNAUTHORIZED, ask);
  return () => removeEventListener(UNAUTHORIZED, ask);
}

/** JSON of the API, whose shapes docs/http.md promises. */
export async function getJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await answerOf(path, signal === undefined ? {} : { signal })).json();
}

export async function postJson<Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  return (await answerOf(path, posted(body, signal))).json();
}

export async function postText(path: string, body: unknown, signal?: AbortSignal): Promise<string> {
  return (await answerOf(path, posted(body, signal))).text();
}

function posted(body: unknown, signal: AbortSignal | undefined): RequestInit {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  return signal === undefined ? request : { ...request, signal };
}

/** Paths are relative to where the page was served. */
async function answerOf(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new RequestFailed(0, '', 'The server does not answer. Is `rollstream up` still running?');
  });
  if (response.ok) return response;
  const told: { error?: { code?: string; message?: string } } = await response.json().catch(() => ({}));
  if (response.status === 401 && path !== 'v1/session') dispatchEvent(new Event(UNAUTHORIZED));
  throw new RequestFailed(response.status, told.error?.code ?? '', told.error?.message ?? `HTTP ${response.status}`);
}
