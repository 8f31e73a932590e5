import { createHash, timingSafeEqual } from 'node:crypto';
import { RollstreamError } from '../../errors.ts';
import type { FailedAttempts } from './failed-attempts.ts';

/** Throws RS_UNAUTHORIZED on another token, RS_TOO_MANY_ATTEMPTS where too many were wrong. null: none was given, which is no guess. */
export type TokenCheck = (given: string | null, address: string) => void;

export function createTokenCheck(token: string, failures: FailedAttempts): TokenCheck {
  const expected = digest(token);
  return function checkToken(given, address) {
    if (given === null) throw unauthorized();
    // Before it is looked at: else the right one would be told apart however many were tried.
    failures.check(address);
    const got = digest(given);
    // Digests have equal length, so that the comparison tells neither the length nor a prefix.
    if (timingSafeEqual(got, expected)) return;
    failures.failed(address, got.toString('base64url'));
    throw unauthorized();
  };
}

export function unauthorized(): RollstreamError {
  return new RollstreamError('RS_UNAUTHORIZED', 'a bearer token is needed (http.token, ROLLSTREAM_HTTP_TOKEN)', {
    facts: { field: 'authorization' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
