import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Asking, createCallers } from '../../../../src/server/auth/callers.ts';
import { createToken, revokeToken } from '../../../../src/server/auth/create-token.ts';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { openKnownTokens } from '../../../../src/server/auth/known-tokens.ts';
import { createSealedSessions } from '../../../../src/server/auth/sealed-session.ts';
import { type TokenFile, tokenFileText } from '../../../../src/server/auth/token-file.ts';

const HTTP_TOKEN = 'a-token-of-some-length';
const HOST = 'rollstream.example:8080';
const NOW = 1_700_000_000_000;
const EMPTY: TokenFile = { session_key: 'ab'.repeat(32), tokens: [] };
const wrong = expect.objectContaining({ code: 'RS_UNAUTHORIZED', message: expect.stringContaining('needed') });
const ended = expect.objectContaining({ code: 'RS_UNAUTHORIZED', message: expect.stringContaining('expired') });
const tooMany = expect.objectContaining({ code: 'RS_TOO_MANY_ATTEMPTS' });

const made = createToken(EMPTY, { role: 'reader', name: 'me', runs: ['a'], expiresMs: 3_600_000 }, NOW);
const { token, kept } = made.result;
const READER = { id: kept.id, name: 'me', role: 'reader', runs: new Set(['a']) };

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-callers-'));
  path = join(folder, 'tokens.json');
  write(made.file);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: TokenFile): void {
  writeFileSync(`${path}.x`, tokenFileText(file));
  renameSync(`${path}.x`, path);
}

function asking(method: string, headers: Readonly<Record<string, string>>, address = '192.0.2.1'): Asking {
  const all: Readonly<Record<string, string>> = { host: HOST, ...headers };
  return { method, header: (name) => all[name], address };
}

function opened(httpToken: string | null = HTTP_TOKEN) {
  const clock = { ms: NOW };
  const now = () => clock.ms;
  const tokens = openKnownTokens(path, { log: pino({ level: 'silent' }), now });
  const callers = createCallers(httpToken, { tokens, failures: createFailedAttempts(now), now });
  const cookieFor = (given: string) => (callers.signIn(given, asking('POST', {})) ?? '').split(';')[0] ?? '';
  return { clock, now, callers, cookieFor };
}

it('a token of the file is its own caller, http.token an operator of all runs', () => {
  const { callers } = opened();
  expect(callers.check(asking('GET', { authorization: `Bearer ${token}` }))).toEqual({
    ...{ by: 'bearer', caller: READER, token },
  });
  expect(callers.check(asking('GET', { authorization: `Bearer ${HTTP_TOKEN}` })).caller).toMatchObject({
    ...{ id: 'http.token', role: 'operator', runs: null },
  });
  expect(() => callers.check(asking('GET', { authorization: `Bearer ${kept.sha256}` }))).toThrow(wrong);
});

it('with a token file and without http.token a token is needed all the same', () => {
  const { callers } = opened(null);
  expect(callers.needsToken()).toBe(true);
  expect(() => callers.check(asking('GET', {}))).toThrow(wrong);
  expect(callers.check(asking('GET', { authorization: `Bearer ${token}` })).caller).toEqual(READER);
});

it('a page that signs in with a token has its rights, and passes it on where it is forwarded', () => {
  const { callers, cookieFor } = opened();
  const cookie = cookieFor(token);
  expect(callers.check(asking('GET', { cookie }))).toEqual({ by: 'cookie', caller: READER, token });
  expect(callers.check(asking('GET', { cookie: cookieFor(HTTP_TOKEN) }))).toMatchObject({
    ...{ by: 'cookie', caller: { id: 'http.token' }, token: HTTP_TOKEN },
  });
  expect(callers.check(asking('POST', { cookie, origin: `http://${HOST}` })).caller).toEqual(READER);
  expect(() => callers.check(asking('POST', { cookie }))).toThrow(
    expect.objectContaining({ facts: { field: 'origin' } }),
  );
});

it('a session ends when its token expires, is revoked, or is taken out of the file', () => {
  const { callers, cookieFor, clock } = opened();
  const cookie = cookieFor(token);
  clock.ms += 3_600_000;
  expect(() => callers.check(asking('GET', { cookie }))).toThrow(ended);
  clock.ms = NOW;
  expect(callers.check(asking('GET', { cookie })).caller).toEqual(READER);
  clock.ms += 2_000;
  write(revokeToken(made.file, kept.id, NOW).file);
  expect(() => callers.check(asking('GET', { cookie }))).toThrow(ended);
  clock.ms += 2_000;
  write(EMPTY);
  expect(() => callers.check(asking('GET', { cookie }))).toThrow(wrong);
});

it('whoever has the key and no token makes no session that is good', () => {
  const { callers, now } = opened();
  const sessions = createSealedSessions(Buffer.from(EMPTY.session_key, 'hex'), now);
  for (const guess of [kept.sha256, kept.id, HTTP_TOKEN, '']) {
    const cookie = `rollstream_session_8080=${sessions.issue(guess)}`;
    expect(() => callers.check(asking('GET', { cookie })), guess).toThrow(wrong);
  }
});

it('forged sessions and wrong tokens count together; one that has ended is no guess', () => {
  const { callers, now, clock } = opened();
  for (let n = 0; n < 5; n++) {
    const cookie = `rollstream_session_8080=${createSealedSessions(Buffer.alloc(32, n), now).issue(token)}`;
    expect(() => callers.check(asking('GET', { cookie }))).toThrow(wrong);
    expect(() => callers.check(asking('GET', { authorization: `Bearer rs_guess-${n}` }))).toThrow(wrong);
  }
  expect(() => callers.check(asking('GET', { authorization: `Bearer ${token}` }))).toThrow(tooMany);
  expect(callers.check(asking('GET', { authorization: `Bearer ${token}` }, '192.0.2.2')).caller).toEqual(READER);
  clock.ms += 7_200_000;
  for (let n = 0; n < 30; n++)
    expect(() => callers.check(asking('GET', { authorization: `Bearer ${token}` }, '192.0.2.3'))).toThrow(ended);
});
