import { expect, it } from 'vitest';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { NO_TOKENS } from '../../../../src/server/auth/known-tokens.ts';
import { createTokenCheck } from '../../../../src/server/auth/token-check.ts';

const TOKEN = 'a-token-of-some-length';
const wrong = expect.objectContaining({ code: 'RS_UNAUTHORIZED', status: 401 });
const tooMany = expect.objectContaining({ code: 'RS_TOO_MANY_ATTEMPTS', status: 429 });
const check = () =>
  createTokenCheck(
    { token: TOKEN, tokens: NO_TOKENS },
    createFailedAttempts(() => 0),
  );

it('takes exactly the token', () => {
  const checkToken = check();
  expect(() => checkToken(TOKEN, '192.0.2.1')).not.toThrow();
  for (const given of [null, '', `${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase()])
    expect(() => checkToken(given, '192.0.2.1'), String(given)).toThrow(wrong);
});

it('after ten wrong ones also the right one is not looked at, from there', () => {
  const checkToken = check();
  for (let n = 0; n < 10; n++) expect(() => checkToken(`guess-${n}`, '192.0.2.1')).toThrow(wrong);
  expect(() => checkToken('guess-10', '192.0.2.1')).toThrow(tooMany);
  expect(() => checkToken(TOKEN, '192.0.2.1')).toThrow(tooMany);
  expect(() => checkToken(TOKEN, '192.0.2.2')).not.toThrow();
});

it('whoever gives none has guessed nothing', () => {
  const checkToken = check();
  for (let n = 0; n < 50; n++) expect(() => checkToken(null, '192.0.2.1')).toThrow(wrong);
  expect(() => checkToken(TOKEN, '192.0.2.1')).not.toThrow();
});
