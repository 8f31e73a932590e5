import { RollstreamError } from '../errors.ts';
import { type Sleep, sleep } from '../lanes/sleep.ts';
import { type Answer, answerOfText, fault } from './answer-of.ts';
import { readBounded } from './read-bounded.ts';
import type { Verifier } from './verifier.ts';

export interface UrlVerifier {
  readonly url: string;
  readonly timeoutMs: number;
  readonly scorer: string;
  readonly version: string;
  readonly sleep?: Sleep;
}

const MOST_ANSWER_BYTES = 2 ** 20;
const TRIES = 5;
const FIRST_WAIT_MS = 200;
/** A server that asks for longer is waited for so long. */
const LONGEST_WAIT_MS = 30_000;
/** It is not there, or not now: no attempt is to blame. */
const OUTAGES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** No attempt of any kind would be judged there. */
const WRONG_PLACE: ReadonlySet<number> = new Set([401, 403, 404, 405]);

type Tried =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly answer: Answer; readonly isOutage: boolean; readonly waitMs: number };

/**
 * A service: POST of one request, one JSON document back. What it says of one attempt is a status; where it cannot be reached at all
 * RS_SERVER_UNREACHABLE is thrown, so that an outage is waited for and judges nobody.
 */
export function openUrlVerifier({ url, timeoutMs, scorer, version, sleep: wait = sleep }: UrlVerifier): Verifier {
  const place = placeOf(url);
  let requests = 0;

  async function ask(body: string, id: string, signal: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const tried = await askOnce(place, { body, id, timeoutMs, signal });
      if (tried.kind === 'answered' || signal.aborted) return tried.answer;
      if (tries === TRIES) {
        if (tried.isOutage)
          throw new RollstreamError('RS_SERVER_UNREACHABLE', `the verifier at ${place.shown}: ${tried.answer.report}`);
        return tried.answer;
      }
      await wait(Math.min(Math.max(tried.waitMs, FIRST_WAIT_MS * 2 ** (tries - 1)), LONGEST_WAIT_MS), signal);
    }
  }

  return {
    scorer,
    version,
    async verify(input, signal) {
      const begin = performance.now();
      requests += 1;
      const id = String(requests);
      const answer = await ask(JSON.stringify({ id, input }), id, signal);
      return { ...answer, durationMs: performance.now() - begin };
    },
    close: async () => {},
  };
}

interface Place {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Without what may be a secret. */
  readonly shown: string;
}

/** Name and password of a URL travel as a header: fetch takes none. */
function placeOf(text: string): Place {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new RollstreamError('RS_USAGE', 'verifier: a URL of http or https is needed', {
      facts: { field: 'verifier' },
    });
  const named = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const headers: Readonly<Record<string, string>> =
    named === ':' ? {} : { authorization: `Basic ${Buffer.from(named).toString('base64')}` };
  return { url, headers, shown: `${url.origin}${url.pathname}` };
}

interface Request {
  readonly body: string;
  readonly id: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function askOnce({ url, headers, shown }: Place, { body, id, timeoutMs, signal }: Request): Promise<Tried> {
  let response: Response;
  let text: string | null;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'error',
    });
    text = await readBounded(response, MOST_ANSWER_BYTES);
  } catch (error) {
    return failed(error, timeoutMs, shown);
  }
  const { status } = response;
  if (WRONG_PLACE.has(status))
    throw new RollstreamError('RS_CONFIG', `the verifier at ${shown} answers ${status}`, {
      facts: { field: 'verifier' },
    });
  if (!response.ok) {
    const answer = fault('crash', `it answered ${status}: ${(text ?? '').slice(0, 2_000)}`);
    const mayHelp = status >= 500 || OUTAGES.has(status);
    if (!mayHelp) return { kind: 'answered', answer };
    return { kind: 'failed', answer, isOutage: OUTAGES.has(status), waitMs: retryAfterMs(response) };
  }
  if (text === null)
    return { kind: 'answered', answer: fault('parse_error', `it answered with more than ${MOST_ANSWER_BYTES} bytes`) };
  const said = answerOfText(text);
  if (said.id === undefined || said.id === id) return { kind: 'answered', answer: said.answer };
  return { kind: 'answered', answer: fault('parse_error', 'it answered for another id') };
}

function failed(error: unknown, timeoutMs: number, shown: string): Tried {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') {
    // Asked again it would take as long again.
    return { kind: 'answered', answer: fault('timeout', `no answer within ${timeoutMs} ms`) };
  }
  const code = codeOf(error);
  // A port that nobody may ask, a redirect.
  if (code === null) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new RollstreamError('RS_CONFIG', `the verifier at ${shown} cannot be asked: ${why}`, {
      facts: { field: 'verifier' },
    });
  }
  // One that broke off may have been ended by this very request; one that takes no connection was not.
  const isOutage = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code);
  const timedOut = code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT';
  return { kind: 'failed', answer: fault('crash', code), isOutage: isOutage || timedOut, waitMs: 0 };
}

/** A message of fetch may name the URL; a code does not. null: there is none, the connection is not to blame. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : null;
  return error.name;
}

/** Seconds, or a date; 0: it says nothing. */
function retryAfterMs(response: Response): number {
  const said = response.headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  const until = Date.parse(said);
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.now());
}
