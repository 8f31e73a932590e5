import { type ErrorCode, RollstreamError } from '../errors.ts';

/** While nobody grants, or another process is about to. */
export function startingError(): RollstreamError {
  return new RollstreamError('RS_STARTING', 'leases are being taken over: ask the same again in a moment');
}

/** Of a request alone: nothing was written, and what comes next may succeed. */
const OF_THE_REQUEST: ReadonlySet<ErrorCode> = new Set([
  ...(['RS_USAGE', 'RS_NOT_FOUND', 'RS_LEASE_LOST', 'RS_LINEAGE_DISCARDED', 'RS_DELIVERY_REFUSED'] as const),
  ...(['RS_DISK_FULL', 'RS_RECORD_TOO_LARGE', 'RS_STARTING', 'RS_INTERRUPTED', 'RS_CLOSED'] as const),
  // A blob folder that is not configured, or not usable, here: what names a blob stays queued.
  'RS_CONFIG',
  ...(['RS_STORE_UNREACHABLE', 'RS_BROKER_UNREACHABLE', 'RS_REGISTRY_UNREACHABLE'] as const),
]);

export function isOutOfHere(error: unknown): boolean {
  return error instanceof RollstreamError && OF_THE_REQUEST.has(error.code);
}
