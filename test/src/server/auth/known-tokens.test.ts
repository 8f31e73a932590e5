import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../../../src/server/auth/create-token.ts';
import { digestOf, openKnownTokens } from '../../../../src/server/auth/known-tokens.ts';
import { type TokenFile, tokenFileText } from '../../../../src/server/auth/token-file.ts';

const NOW = 1_700_000_000_000;
const EMPTY: TokenFile = { session_key: '0'.repeat(64), tokens: [] };
const WISH = { role: 'reader', name: 'n', runs: ['a', 'b'], expiresMs: 60_000 } as const;

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-tokens-'));
  path = join(folder, 'tokens.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(text: string): void {
  writeFileSync(`${path}.x`, text);
  renameSync(`${path}.x`, path);
}

function opened() {
  const clock = { ms: NOW };
  const errors: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
  const tokens = openKnownTokens(path, { log, now: () => clock.ms });
  const later = (ms = 1_000): void => {
    clock.ms += ms;
  };
  return { tokens, clock, errors, later, find: (token: string) => tokens.find(digestOf(token)) };
}

it('whose token it is, until it expires or is revoked', () => {
  const first = createToken(EMPTY, WISH, NOW);
  const second = createToken(first.file, { ...WISH, role: 'operator', runs: null, expiresMs: null }, NOW);
  write(tokenFileText(second.file));
  const { find, later } = opened();
  const { id } = first.result.kept;
  expect(find(first.result.token)).toEqual({ id, name: 'n', role: 'reader', runs: new Set(['a', 'b']) });
  expect(find(second.result.token)).toMatchObject({ role: 'operator', runs: null });
  expect(find(`${first.result.token}x`)).toBeNull();
  expect(find(first.result.kept.sha256)).toBeNull();
  later(59_999);
  expect(find(first.result.token)).not.toBe('ended');
  later(1);
  expect(find(first.result.token)).toBe('ended');
  write(tokenFileText(revokeToken(second.file, second.result.kept.id, NOW).file));
  expect(find(second.result.token)).not.toBe('ended');
  later();
  expect(find(second.result.token)).toBe('ended');
});

it('a file that comes to be asks everybody for a token from then on', () => {
  const { tokens, find, later } = opened();
  expect(tokens.areNeeded()).toBe(false);
  const { file, result } = createToken(EMPTY, WISH, NOW);
  write(tokenFileText(file));
  expect(tokens.areNeeded()).toBe(false);
  later();
  expect(tokens.areNeeded()).toBe(true);
  expect(find(result.token)).toMatchObject({ role: 'reader' });
});

it('a file without a token lets nobody in, rather than everybody', () => {
  write(tokenFileText(EMPTY));
  expect(opened().tokens.areNeeded()).toBe(true);
});

it('a file that is damaged or gone while it is open leaves the last good one in force, and says so once', () => {
  const { file, result } = createToken(EMPTY, WISH, NOW);
  write(tokenFileText(file));
  const { tokens, find, later, errors } = opened();
  write('{"version": 1, "tokens": [');
  later();
  expect(find(result.token)).toMatchObject({ role: 'reader' });
  later();
  expect(find(result.token)).toMatchObject({ role: 'reader' });
  expect(errors).toHaveLength(1);
  rmSync(path);
  later();
  expect(tokens.areNeeded()).toBe(true);
  expect(find(result.token)).toMatchObject({ role: 'reader' });
  expect(errors).toHaveLength(2);
  write(tokenFileText(revokeToken(file, result.kept.id, NOW).file));
  later();
  expect(find(result.token)).toBe('ended');
});

it('is read again also after the clock was set back', () => {
  const { file, result } = createToken(EMPTY, { ...WISH, expiresMs: null }, NOW);
  write(tokenFileText(file));
  const { find, later } = opened();
  write(tokenFileText(revokeToken(file, result.kept.id, NOW).file));
  later(-3_600_000);
  expect(find(result.token)).toBe('ended');
});

describe('at the start a damaged file is an error that names it', () => {
  const good = createToken(EMPTY, WISH, NOW).file;
  const [token] = good.tokens;
  const with1 = (over: object): string => JSON.stringify({ version: 1, ...good, tokens: [{ ...token, ...over }] });
  it.each([
    ['no JSON', '{'],
    ['another version', JSON.stringify({ ...good, version: 2 })],
    ['no key', JSON.stringify({ version: 1, tokens: [] })],
    ['no list', JSON.stringify({ version: 1, session_key: EMPTY.session_key, tokens: {} })],
    ['an unknown role', with1({ role: 'root' })],
    ['runs that are nothing', with1({ runs: [] })],
    ['runs that are no names', with1({ runs: [''] })],
    ['runs left out', with1({ runs: undefined })],
    ['a digest that is none', with1({ sha256: 'abc' })],
    ['an end that is no time', with1({ expires_at: 'soon' })],
    ['an end left out', with1({ expires_at: undefined })],
    ['what only a later version knows', with1({ addresses: ['10.0.0.0/8'] })],
    ['one token twice', JSON.stringify({ version: 1, ...good, tokens: [token, token] })],
  ])('%s', (_, text) => {
    write(text);
    expect(() => opened()).toThrow(
      expect.objectContaining({ code: 'RS_CONFIG', message: expect.stringContaining(path) }),
    );
  });
});

it('a file that cannot even be looked at leaves the last good one in force', () => {
  const { file, result } = createToken(EMPTY, WISH, NOW);
  write(tokenFileText(file));
  const { find, later, errors } = opened();
  rmSync(path);
  symlinkSync('tokens.json', path);
  later();
  expect(find(result.token)).toMatchObject({ role: 'reader' });
  later();
  expect(find(result.token)).toMatchObject({ role: 'reader' });
  expect(errors).toHaveLength(1);
  rmSync(path);
  write(tokenFileText(revokeToken(file, result.kept.id, NOW).file));
  later();
  expect(find(result.token)).toBe('ended');
});

it('a file of many thousands of tokens is read while requests wait for it, and one that is there twice is found', () => {
  const { file, result } = createToken(EMPTY, WISH, NOW);
  const [first] = file.tokens;
  if (first === undefined) throw new Error('no token was made');
  const many = Array.from({ length: 30_000 }, (_, n) => {
    const sha256 = digestOf(`${n}`).toString('hex');
    return { ...first, id: sha256.slice(0, 12), sha256 };
  });
  write(tokenFileText({ ...file, tokens: [...many, first] }));
  const { find, later, errors } = opened();
  expect(find(result.token)).toMatchObject({ role: 'reader' });
  expect(find('29999')).toMatchObject({ role: 'reader' });
  write(tokenFileText({ ...file, tokens: [...many, { ...first, id: '7' }, { ...first, id: '8' }] }));
  later();
  expect(find(result.token)).toMatchObject({ id: first.id });
  expect(errors.join('')).toContain('tokens[30001].sha256: it is there twice');
});
