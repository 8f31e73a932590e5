import { expect, it } from 'vitest';
import { createCallers } from '../../../../src/server/auth/callers.ts';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { NO_TOKENS } from '../../../../src/server/auth/known-tokens.ts';
import { createSessions } from '../../../../src/server/auth/session-cookie.ts';

const TOKEN = 'a-token-of-some-length';
const HOST = 'rollstream.example:8080';
const ORIGIN = `https://${HOST}`;
const wrong = expect.objectContaining({ code: 'RS_UNAUTHORIZED' });
const foreign = expect.objectContaining({ code: 'RS_UNAUTHORIZED', facts: { field: 'origin' } });
const tooMany = expect.objectContaining({ code: 'RS_TOO_MANY_ATTEMPTS' });

function asking(method: string, headers: Readonly<Record<string, string>>, address = '192.0.2.1') {
  const all: Readonly<Record<string, string>> = { host: HOST, ...headers };
  return { method, header: (name: string) => all[name], address };
}

function opened(token: string | null = TOKEN) {
  const clock = { ms: 1_700_000_000_000 };
  const now = () => clock.ms;
  const callers = createCallers(token, { tokens: NO_TOKENS, failures: createFailedAttempts(now), now });
  const signedIn = () => (callers.signIn(TOKEN, asking('POST', { origin: ORIGIN })) ?? '').split(';')[0] ?? '';
  return { clock, now, callers, signedIn };
}

it('where no token is set anybody may ask, and there is nothing to sign in to', () => {
  const { callers } = opened(null);
  expect(callers.needsToken()).toBe(false);
  expect(callers.check(asking('POST', {})).by).toBe('anybody');
  expect(callers.signIn('whatever', asking('POST', {}))).toBeNull();
});

it('a bearer may do anything from anywhere', () => {
  const { callers } = opened();
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
    expect(callers.check(asking(method, { authorization: `Bearer ${TOKEN}` })).by).toBe('bearer');
});

it('without the token nobody may ask', () => {
  const { callers } = opened();
  for (const authorization of [`Bearer ${TOKEN}x`, 'Bearer', TOKEN, `Basic ${TOKEN}`, ''])
    expect(() => callers.check(asking('GET', { authorization })), authorization).toThrow(wrong);
  expect(() => callers.check(asking('GET', {}))).toThrow(wrong);
});

it('the cookie is for the whole site, for no script and for no other site, and over https for https alone', () => {
  const { callers } = opened();
  const attributes = 'Path=/; Max-Age=43200; HttpOnly; SameSite=Strict';
  expect(callers.signIn(TOKEN, asking('POST', { origin: ORIGIN }))).toMatch(
    new RegExp(`^rollstream_session_8080=[\\w.-]+; ${attributes}; Secure$`),
  );
  expect(callers.signIn(TOKEN, asking('POST', { origin: `http://${HOST}` }))).toMatch(new RegExp(`; ${attributes}$`));
  expect(callers.signOut(asking('DELETE', { origin: ORIGIN }))).toBe(
    'rollstream_session_8080=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
  );
});

it('a session reads, and changes things where the browser says that our own page asks', () => {
  const { callers, signedIn } = opened();
  const cookie = `theme=dark; ${signedIn()}; other=1`;
  expect(callers.check(asking('GET', { cookie })).by).toBe('cookie');
  expect(callers.check(asking('HEAD', { cookie })).by).toBe('cookie');
  expect(callers.check(asking('POST', { cookie, origin: ORIGIN })).by).toBe('cookie');
  expect(callers.check(asking('POST', { cookie, 'sec-fetch-site': 'same-origin' })).by).toBe('cookie');
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    expect(() => callers.check(asking(method, { cookie })), method).toThrow(foreign);
  for (const site of ['none', 'same-site', 'cross-site'])
    expect(() => callers.check(asking('POST', { cookie, 'sec-fetch-site': site })), site).toThrow(foreign);
});

it('ends after twelve hours', () => {
  const { callers, clock, signedIn } = opened();
  const cookie = signedIn();
  clock.ms += 12 * 3_600_000;
  expect(() => callers.check(asking('GET', { cookie }))).toThrow(wrong);
});

it('the cookie of a server on another port of the host is not looked at', () => {
  const { callers } = opened();
  const cookie = `rollstream_session_8081=${createSessions('of-another-server', () => 1_700_000_000_000).issue()}`;
  for (let n = 0; n < 20; n++) expect(() => callers.check(asking('GET', { cookie }))).toThrow(wrong);
  expect(callers.check(asking('GET', { authorization: `Bearer ${TOKEN}` })).by).toBe('bearer');
});

it('cookies that are made of guesses are guesses', () => {
  const { callers, now } = opened();
  for (let n = 0; n < 10; n++) {
    const cookie = `rollstream_session_8080=${createSessions(`a guess, ${n}`, now).issue()}`;
    expect(() => callers.check(asking('GET', { cookie }))).toThrow(wrong);
  }
  const right = `rollstream_session_8080=${createSessions(TOKEN, now).issue()}`;
  expect(() => callers.check(asking('GET', { cookie: right }))).toThrow(tooMany);
  expect(callers.check(asking('GET', { cookie: right }, '192.0.2.2')).by).toBe('cookie');
});

it('who was signed in before stays so, whoever guesses beside them', () => {
  const { callers, signedIn } = opened();
  const cookie = signedIn();
  expect(callers.check(asking('GET', { cookie })).by).toBe('cookie');
  for (let n = 0; n < 10; n++)
    expect(() => callers.check(asking('GET', { authorization: `Bearer guess-${n}` }))).toThrow(wrong);
  expect(() => callers.signIn(TOKEN, asking('POST', {}))).toThrow(tooMany);
  expect(callers.check(asking('GET', { cookie })).by).toBe('cookie');
});

it('a session that ran out is no guess: its page may ask again and again', () => {
  const { callers, clock, signedIn } = opened();
  const cookie = signedIn();
  clock.ms += 24 * 3_600_000;
  for (let n = 0; n < 50; n++) expect(() => callers.check(asking('GET', { cookie }))).toThrow(wrong);
  expect(callers.signIn(TOKEN, asking('POST', {}))).not.toBeNull();
});
