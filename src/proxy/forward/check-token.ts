import { timingSafeEqual } from 'node:crypto';
import { RollstreamError } from '../../errors.ts';
import type { FailedAttempts } from '../../server/auth/failed-attempts.ts';
import { digestOf } from '../../server/auth/known-tokens.ts';

/** Throws RS_UNAUTHORIZED, or RS_TOO_MANY_ATTEMPTS where too many were wrong. `given` null: none came, which is no guess. */
export type CheckProxyToken = (given: string | null, address: string) => void;

/** `token` null: anybody may call. */
export function createCheckToken(token: string | null, failures: FailedAttempts): CheckProxyToken {
  if (token === null) return () => {};
  const expected = digestOf(token);
  return function checkToken(given, address) {
    if (given === null) throw unauthorized('a token is needed');
    failures.check(address);
    const got = digestOf(given);
    // Digests have equal length, so that the comparison tells neither the length nor a prefix.
    if (timingSafeEqual(got, expected)) return;
    failures.failed(address, got.toString('base64url'));
    throw unauthorized('the token is another one');
  };
}

function unauthorized(why: string): RollstreamError {
  return new RollstreamError('RS_UNAUTHORIZED', `${why}: header x-rollstream-token, or /k/<token>/ before the path`, {
    facts: { field: 'x-rollstream-token' },
  });
}
