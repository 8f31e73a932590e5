import { type ErrorCode, RollstreamError } from '../errors.ts';

/** Codes of ClickHouse that pass by themselves: time-outs, memory, too many parts or queries, network. */
const PASSING = new Set(['159', '202', '209', '210', '241', '252', '319', '425', '999']);
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
  const message = cause instanceof Error ? cause.message : String(cause);
  // 164 READONLY: the engine's own refusal, behind reader-guard.
  const code = engineCode(cause) === '164' ? 'RS_QUERY_REFUSED' : 'RS_QUERY_FAILED';
  return new RollstreamError(code, firstLine(message), { cause });
}

function codeOf(cause: unknown, message: string): ErrorCode {
  const code = engineCode(cause);
  const noSpace = code === NO_SPACE || isErrno(cause, 'ENOSPC') || isErrno(cause, 'EDQUOT');
  if (noSpace || /No space left on device|errno: 28\b/.test(message)) return 'RS_DISK_FULL';
  return code === null || PASSING.has(code) ? 'RS_STORE_UNREACHABLE' : 'RS_STORE_REFUSED';
}

/** By its shape: the binding throws the ClickHouseError of its own copy of the client. null: no answer of the engine. */
function engineCode(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null;
  return typeof cause.code === 'string' && /^\d+$/.test(cause.code) ? cause.code : null;
}

function isErrno(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}

function firstLine(message: string): string {
  return message.trim().split('\n', 1)[0] ?? '';
}
