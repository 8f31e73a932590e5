import type { ErrorCode } from '../errors.ts';
import { ERRORS, RollstreamError } from '../errors.ts';

/** The body of every error answer. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly field?: string;
    readonly record?: string | number;
    /** Of what delivery refuses: its name; of a quota: which. */
    readonly reason?: string;
    /** Whose quota it is, or which was asked for. */
    readonly run?: string;
  };
}

/** Seconds after which trying again may help, unless the error says. */
const RETRY_AFTER_S = 1;

/** An error as HTTP. What is not ours is a bug: its text stays in the log, not in the answer. */
export function errorResponse(error: unknown): Response {
  return errorWith(error, {});
}

/** The same, with what else there is to say beside the error. */
export function errorWith(error: unknown, beside: object): Response {
  if (!(error instanceof RollstreamError)) {
    return errorWith(new RollstreamError('RS_INTERNAL', 'internal error; the log of the server has more'), beside);
  }
  const { field, record, reason, run, retry_after = RETRY_AFTER_S } = error.facts;
  const body: ErrorBody = {
    error: {
      code: error.code,
      message: error.message,
      ...(typeof field === 'string' ? { field } : {}),
      ...(record === undefined ? {} : { record }),
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(typeof run === 'string' ? { run } : {}),
    },
    ...beside,
  };
  return answer(error.status, body, error.retriable ? { 'retry-after': String(retry_after) } : {});
}

/** The error in the body of an answer, or null when there is none that we know. */
export function errorOfBody(body: unknown): RollstreamError | null {
  if (!isObject(body) || !isObject(body.error)) return null;
  const { code, message, field, record, reason, run } = body.error;
  if (typeof code !== 'string' || typeof message !== 'string' || !isCode(code)) return null;
  return new RollstreamError(code, message, {
    facts: {
      ...(typeof field === 'string' ? { field } : {}),
      ...(typeof record === 'string' || typeof record === 'number' ? { record } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(typeof run === 'string' ? { run } : {}),
    },
  });
}

function answer(status: number, body: ErrorBody, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
