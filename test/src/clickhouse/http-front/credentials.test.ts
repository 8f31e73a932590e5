import { expect, test } from 'vitest';
import { createCredentialsCheck } from '../../../../src/clickhouse/http-front/credentials.ts';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { createTokenCheck } from '../../../../src/server/auth/token-check.ts';

const TOKEN = 'a-token-of-some-length';
const url = new URL('http://localhost/');
const key = (password: string) => new Headers({ 'x-clickhouse-key': password });
const refusal = (text: string) =>
  expect.objectContaining({ type: 'AUTHENTICATION_FAILED', message: expect.stringContaining(text) });

test('wrong passwords and wrong tokens of the API are counted together, by address', () => {
  const failures = createFailedAttempts(() => 0);
  const [check, checkToken] = [createCredentialsCheck(TOKEN, failures), createTokenCheck(TOKEN, failures)];
  for (let n = 0; n < 5; n++) {
    expect(() => check(url, key(`guess-${n}`), '192.0.2.1')).toThrow(refusal('the password is the token'));
    expect(() => checkToken(`another-${n}`, '192.0.2.1')).toThrow();
  }
  expect(() => check(url, key(TOKEN), '192.0.2.1')).toThrow(refusal('too many wrong tokens'));
  expect(() => check(url, key(TOKEN), '192.0.2.2')).not.toThrow();
});

test('a client that sends no password has guessed none', () => {
  const check = createCredentialsCheck(
    TOKEN,
    createFailedAttempts(() => 0),
  );
  const basic = new Headers({ authorization: `Basic ${Buffer.from('default:').toString('base64')}` });
  for (let n = 0; n < 20; n++) {
    expect(() => check(url, new Headers(), '192.0.2.1')).toThrow(refusal('the password is the token'));
    expect(() => check(url, basic, '192.0.2.1')).toThrow(refusal('the password is the token'));
  }
  expect(() => check(url, key(TOKEN), '192.0.2.1')).not.toThrow();
});
