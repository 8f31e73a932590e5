import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Batch } from './read-lines.ts';

export interface Server {
  readonly url: string;
  readonly token: string | null;
  readonly gzip: boolean;
  /** Aborted when nobody waits for answers any more. */
  readonly stop: AbortSignal;
}

export type Answer =
  /** It is durable, but for what was refused, which is in dead-letter. */
  | { readonly kind: 'taken'; readonly refused: number; readonly why: string | null }
  /** Not now: try again. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: number | null }
  /** Not this: its size, or something in it that the server cannot even name. */
  | { readonly kind: 'never'; readonly why: string };

const TIMEOUT_MS = 60_000;
/** Of requests that are sound in themselves: a token that is wrong, a path that is not there yet, a server that is busy. */
const PASSING = new Set([401, 403, 404, 405, 407, 408, 409, 421, 425, 429]);

const compressed = promisify(gzip);

export async function postSteps(server: Server, { bytes }: Batch): Promise<Answer> {
  const body = server.gzip ? await compressed(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
  const encoding: Record<string, string> = server.gzip ? { 'content-encoding': 'gzip' } : {};
  const said = await post(server, '/v1/steps', body, { 'content-type': 'application/x-ndjson', ...encoding });
  // Anything that answers 200 in its place (a portal, a proxy) has taken nothing.
  return (said.status === 200 || said.status === 422 ? taken(said) : null) ?? refusal(said);
}

/** Nothing more comes from this producer: what it left open closes. */
export async function postEnded(server: Server, producerId: string, eventId: string): Promise<Answer> {
  const body = JSON.stringify({ producer_id: producerId, event_id: eventId });
  const said = await post(server, '/v1/producers/ended', body, { 'content-type': 'application/json' });
  return said.status >= 200 && said.status < 300 ? { kind: 'taken', refused: 0, why: null } : refusal(said);
}

interface Said {
  /** 0: nobody answered. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function post(
  { url, token, stop }: Server,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Promise<Said> {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: token === null ? headers : { ...headers, authorization: `Bearer ${token}` },
      body,
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  } catch (error) {
    return { status: 0, retryAfter: null, text: reasonOf(error) };
  }
}

function taken({ text }: Said): Answer | null {
  const { accepted, refused, refused_count } = parsed(text);
  if (typeof accepted !== 'number') return null;
  const listed: readonly unknown[] = Array.isArray(refused) ? refused : [];
  const count = typeof refused_count === 'number' ? refused_count : listed.length;
  return { kind: 'taken', refused: count, why: listed.length === 0 ? null : JSON.stringify(listed[0]) };
}

function refusal({ status, retryAfter, text }: Said): Answer {
  if (status === 0) return { kind: 'later', why: text, afterMs: null };
  const why = `HTTP ${status}: ${text.slice(0, 500)}`;
  if (status >= 400 && status < 500 && !PASSING.has(status)) return { kind: 'never', why };
  const seconds = Number(retryAfter ?? Number.NaN);
  return { kind: 'later', why, afterMs: Number.isFinite(seconds) ? seconds * 1000 : null };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
