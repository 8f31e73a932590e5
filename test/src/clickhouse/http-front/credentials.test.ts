import { expect, test } from 'vitest';
import { createCredentialsCheck } from '../../../../src/clickhouse/http-front/credentials.ts';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { digestOf, NO_TOKENS } from '../../../../src/server/auth/known-tokens.ts';
import { createTokenCheck } from '../../../../src/server/auth/token-check.ts';

const TOKEN = 'a-token-of-some-length';
const accepted = { token: TOKEN, tokens: NO_TOKENS };
const url = new URL('http://localhost/');
const key = (password: string) => new Headers({ 'x-clickhouse-key': password });
const refusal = (text: string) =>
  expect.objectContaining({ type: 'AUTHENTICATION_FAILED', message: expect.stringContaining(text) });

test('wrong passwords and wrong tokens of the API are counted together, by address', () => {
  const failures = createFailedAttempts(() => 0);
  const [check, checkToken] = [createCredentialsCheck(accepted, failures), createTokenCheck(accepted, failures)];
  for (let n = 0; n < 5; n++) {
    expect(() => check(url, key(`guess-${n}`), '192.0.2.1')).toThrow(refusal('the password is the token'));
    expect(() => checkToken(`another-${n}`, '192.0.2.1')).toThrow();
  }
  expect(() => check(url, key(TOKEN), '192.0.2.1')).toThrow(refusal('too many wrong tokens'));
  expect(() => check(url, key(TOKEN), '192.0.2.2')).not.toThrow();
});

test('SQL is for readers and operators of all runs: any other token is told apart from a wrong one', () => {
  const callers = (['producer', 'trainer', 'reader', 'operator'] as const).flatMap((role) => [
    { id: role, name: '', role, runs: null },
    { id: `${role} of one run`, name: '', role, runs: new Set(['math']) },
  ]);
  const find = (digest: Buffer) => callers.find(({ id }) => digestOf(id).equals(digest)) ?? null;
  const tokens = { areNeeded: () => true, find, sessionKey: () => null };
  const failures = createFailedAttempts(() => 0);
  for (const token of [TOKEN, null]) {
    const check = createCredentialsCheck({ token, tokens }, failures);
    for (const { id, role, runs } of callers) {
      if (runs === null && ['reader', 'operator'].includes(role)) expect(check(url, key(id), '::1').id).toBe(id);
      else expect(() => check(url, key(id), '::1'), id).toThrow(expect.objectContaining({ type: 'ACCESS_DENIED' }));
    }
    expect(() => check(url, key('nobody'), '::1')).toThrow(refusal('the password is the token'));
    expect(() => check(url, new Headers(), '::1')).toThrow(refusal('the password is the token'));
  }
  expect(createCredentialsCheck({ token: null, tokens: NO_TOKENS }, failures)(url, new Headers(), '::1').id).toBe(
    'anybody',
  );
});

test('a client that sends no password has guessed none', () => {
  const check = createCredentialsCheck(
    accepted,
    createFailedAttempts(() => 0),
  );
  const basic = new Headers({ authorization: `Basic ${Buffer.from('default:').toString('base64')}` });
  for (let n = 0; n < 20; n++) {
    expect(() => check(url, new Headers(), '192.0.2.1')).toThrow(refusal('the password is the token'));
    expect(() => check(url, basic, '192.0.2.1')).toThrow(refusal('the password is the token'));
  }
  expect(() => check(url, key(TOKEN), '192.0.2.1')).not.toThrow();
});
