import { createHash, timingSafeEqual } from 'node:crypto';
import { frontError } from './front-error.ts';

/** The password must be the token, whatever the user is called; null: everybody may ask. */
export function createCredentialsCheck(token: string | null): (url: URL, headers: Headers) => void {
  if (token === null) return () => {};
  const expected = digest(token);
  return function checkCredentials(url, headers) {
    // Digests have equal length, so that the comparison tells neither the length nor a prefix.
    if (timingSafeEqual(digest(passwordOf(url, headers) ?? ''), expected)) return;
    throw frontError('AUTHENTICATION_FAILED', 'Authentication failed: the password is the token (http.token)');
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

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
