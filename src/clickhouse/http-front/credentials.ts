import { RollstreamError } from '../../errors.ts';
import type { FailedAttempts } from '../../server/auth/failed-attempts.ts';
import { createTokenCheck } from '../../server/auth/token-check.ts';
import { frontError } from './front-error.ts';

/** The password must be the token, whatever the user is called; null: everybody may ask. `address` is where the request came from. */
export function createCredentialsCheck(
  token: string | null,
  failures: FailedAttempts,
): (url: URL, headers: Headers, address: string) => void {
  if (token === null) return () => {};
  const check = createTokenCheck(token, failures);
  return function checkCredentials(url, headers, address) {
    try {
      // Clients without a password send an empty one.
      check(passwordOf(url, headers) || null, address);
    } catch (error) {
      const isLimit = error instanceof RollstreamError && error.code === 'RS_TOO_MANY_ATTEMPTS';
      const why = isLimit ? error.message : 'the password is the token (http.token)';
      throw frontError('AUTHENTICATION_FAILED', `Authentication failed: ${why}`);
    }
  };
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
