import { RollstreamError } from '../errors.ts';

/** What gunzip throws at bytes that are none, or end too soon. */
export function isBrokenGzip(error: unknown): error is Error {
  if (error instanceof RollstreamError || !(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('Z_');
}
