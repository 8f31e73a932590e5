import { ClickHouseError } from '@clickhouse/client';
import { RollstreamError } from '../../errors.ts';

/** Errors of the front's own, with ClickHouse's codes, so that clients know them. */
const FRONT_ERRORS = {
  BAD_ARGUMENTS: '36',
  NOT_IMPLEMENTED: '48',
  UNKNOWN_DATABASE: '81',
  READONLY: '164',
  TOO_MANY_SIMULTANEOUS_QUERIES: '202',
  SETTING_CONSTRAINT_VIOLATION: '452',
  ACCESS_DENIED: '497',
  AUTHENTICATION_FAILED: '516',
  UNKNOWN_EXCEPTION: '1002',
} as const;

type FrontErrorType = keyof typeof FRONT_ERRORS;

export function frontError(type: FrontErrorType, message: string): ClickHouseError {
  return new ClickHouseError({ code: FRONT_ERRORS[type], type, message: `${message}. ` });
}

export interface FrontFailure {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** HTTP. */
  readonly status: number;
}

/** As ClickHouse answers: 403 no access, 404 no such table, 400 a mistake in the request, 503 not now, else 500. */
const STATUS: Readonly<Record<string, number>> = {
  ...{ '164': 403, '497': 403, '516': 403, '60': 404, '81': 404, '202': 503 },
  ...{ '36': 400, '46': 400, '47': 400, '62': 400, '73': 400, '452': 400, '456': 400, '457': 400, '48': 501 },
};

export function failureOf(cause: unknown): FrontFailure {
  const { code, type, message } = named(cause);
  return { code, type, message: message.trim(), status: STATUS[code] ?? 500 };
}

type Named = Omit<FrontFailure, 'status'>;

function named(cause: unknown): Named {
  if (cause instanceof RollstreamError) {
    return ours(cause.code === 'RS_UNAUTHORIZED' ? 'AUTHENTICATION_FAILED' : 'ACCESS_DENIED', cause.message);
  }
  if (!(cause instanceof Error)) return ours('UNKNOWN_EXCEPTION', String(cause));
  // By its shape: the binding throws the class of its own copy of the client.
  const isNamed =
    'code' in cause && 'type' in cause && typeof cause.code === 'string' && typeof cause.type === 'string';
  return isNamed
    ? { code: String(cause.code), type: String(cause.type), message: cause.message }
    : ours('UNKNOWN_EXCEPTION', cause.message);
}

function ours(type: FrontErrorType, message: string): Named {
  return { code: FRONT_ERRORS[type], type, message };
}
