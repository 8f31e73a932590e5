import { type ErrorCode, RollstreamError } from '../errors.ts';

/** No answer, or none yet: too many queries, network, replicas, Keeper, shutting down. */
const AWAY = new Set([
  '202',
  '203',
  '209',
  '210',
  '225',
  '236',
  '242',
  '279',
  '285',
  '286',
  '319',
  '394',
  '425',
  '439',
  '999',
]);
/** There is a limit that others may have used up: time-outs, memory, parts, quotas, load. */
const SPENT = new Set(['159', '160', '201', '241', '252', '473', '745']);
/** Who we are is not known there. */
const NO_ACCESS = new Set(['192', '193', '194', '516']);
/** NOT_ENOUGH_SPACE. */
const NO_SPACE = '243';

/** What the lane must know of a failure: whether waiting can help (back-pressure), and whether it is the disk. */
export function storeError(cause: unknown, doing: string): RollstreamError {
  if (cause instanceof RollstreamError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new RollstreamError(codeOf(cause, message), `${doing}: ${firstLine(message)}`, { cause });
}

/** What a user must know: the mistake in the SQL, or the limit that was hit. */
export function queryError(cause: unknown): RollstreamError {
  if (cause instanceof RollstreamError) return cause;
  const engine = engineCode(cause);
  if (engine === null || AWAY.has(engine) || NO_ACCESS.has(engine)) return storeError(cause, 'querying the store');
  const message = cause instanceof Error ? cause.message : String(cause);
  // READONLY, ACCESS_DENIED: the engine's own refusal, behind reader-guard.
  const code = engine === '164' || engine === '497' ? 'RS_QUERY_REFUSED' : 'RS_QUERY_FAILED';
  return new RollstreamError(code, firstLine(message), { cause });
}

function codeOf(cause: unknown, message: string): ErrorCode {
  const code = engineCode(cause);
  const noSpace = code === NO_SPACE || isErrno(cause, 'ENOSPC') || isErrno(cause, 'EDQUOT');
  if (noSpace || /No space left on device|errno: 28\b/.test(message)) return 'RS_DISK_FULL';
  if (code === null) return hasWrongCertificate(cause) ? 'RS_STORE_REFUSED' : 'RS_STORE_UNREACHABLE';
  return AWAY.has(code) || SPENT.has(code) ? 'RS_STORE_UNREACHABLE' : 'RS_STORE_REFUSED';
}

/** By its shape: the binding throws the ClickHouseError of its own copy of the client. null: no answer of the engine. */
function engineCode(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null;
  return typeof cause.code === 'string' && /^\d+$/.test(cause.code) ? cause.code : null;
}

/** By Node's codes of TLS: waiting does not make a certificate right. */
function hasWrongCertificate(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return false;
  return /CERT|UNABLE_TO_VERIFY|^ERR_TLS|^EPROTO$/.test(cause.code);
}

function isErrno(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}

function firstLine(message: string): string {
  return message.trim().split('\n', 1)[0] ?? '';
}
