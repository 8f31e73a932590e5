import { RollstreamError } from '../../errors.ts';
import { ANYBODY, type Caller } from '../../server/auth/caller.ts';
import type { FailedAttempts } from '../../server/auth/failed-attempts.ts';
import { type Accepted, createTokenCheck, type TokenCheck } from '../../server/auth/token-check.ts';
import { frontError } from './front-error.ts';

/** Who asks. */
export type CredentialsCheck = (url: URL, headers: Headers, address: string) => Caller;

/**
 * The password must be a token, whatever the user is called; without any everybody may ask. `address` is where the request came from.
 * SQL reads all runs: a token of some runs, or of a role that does not read, gets ACCESS_DENIED.
 */
export function createCredentialsCheck(accepted: Accepted, failures: FailedAttempts): CredentialsCheck {
  const check = createTokenCheck(accepted, failures);
  return function checkCredentials(url, headers, address) {
    if (accepted.token === null && !accepted.tokens.areNeeded()) return ANYBODY;
    const caller = knownCaller(check, passwordOf(url, headers) || null, address);
    if (caller.runs === null && (caller.role === 'reader' || caller.role === 'operator')) return caller;
    throw frontError('ACCESS_DENIED', `Access denied: SQL needs a reader or operator of all runs (RS_FORBIDDEN)`);
  };
}

function knownCaller(check: TokenCheck, password: string | null, address: string): Caller {
  try {
    // Clients without a password send an empty one.
    return check(password, address);
  } catch (error) {
    const isLimit = error instanceof RollstreamError && error.code === 'RS_TOO_MANY_ATTEMPTS';
    const why = isLimit ? error.message : 'the password is the token (http.token), or one of the token file';
    throw frontError('AUTHENTICATION_FAILED', `Authentication failed: ${why}`);
  }
}

/** By any of the ways that clients use. */
function passwordOf(url: URL, headers: Headers): string | null {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(headers.get('authorization') ?? '') ?? [];
  if (/^bearer$/i.test(scheme)) return value;
  if (/^basic$/i.test(scheme)) {
    const pair = Buffer.from(value, 'base64').toString('utf8');
    return pair.slice(pair.indexOf(':') + 1);
  }
  return headers.get('x-clickhouse-key') ?? url.searchParams.get('password');
}
