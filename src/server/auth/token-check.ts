import { timingSafeEqual } from 'node:crypto';
import { RollstreamError } from '../../errors.ts';
import { type Caller, CONFIGURED } from './caller.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { digestOf, type KnownTokens } from './known-tokens.ts';

/**
 * Whose token it is. Throws RS_UNAUTHORIZED on one that nobody has, RS_TOO_MANY_ATTEMPTS where too many were wrong. null: none was
 * given, which is no guess.
 */
export type TokenCheck = (given: string | null, address: string) => Caller;

export interface Accepted {
  /** `http.token`; null: none. */
  readonly token: string | null;
  readonly tokens: KnownTokens;
}

export function createTokenCheck({ token, tokens }: Accepted, failures: FailedAttempts): TokenCheck {
  const expected = token === null ? null : digestOf(token);
  return function checkToken(given, address) {
    if (given === null) throw unauthorized();
    // Before it is looked at: else the right one would be told apart however many were tried.
    failures.check(address);
    const got = digestOf(given);
    // Digests have equal length, so that the comparison tells neither the length nor a prefix.
    if (expected !== null && timingSafeEqual(got, expected)) return CONFIGURED;
    const found = tokens.find(got);
    // Nobody guesses one that was good once.
    if (found === 'ended') throw tokenEnded();
    if (found !== null) return found;
    failures.failed(address, got.toString('base64url'));
    throw unauthorized();
  };
}

export function unauthorized(): RollstreamError {
  return new RollstreamError('RS_UNAUTHORIZED', 'a bearer token is needed (http.token, ROLLSTREAM_HTTP_TOKEN)', {
    facts: { field: 'authorization' },
  });
}

export function tokenEnded(): RollstreamError {
  return new RollstreamError('RS_UNAUTHORIZED', 'this token was revoked, or has expired: ask for another', {
    facts: { field: 'authorization' },
  });
}
