import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeTokens } from '../../../../src/server/auth/change-tokens.ts';
import { createToken } from '../../../../src/server/auth/create-token.ts';
import { readTokenFile } from '../../../../src/server/auth/token-file.ts';

const WISH = { role: 'reader', name: '', runs: null, expiresMs: null } as const;
let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-tokens-'));
  path = join(folder, 'data', 'tokens.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const add = () => changeTokens(path, (file) => createToken(file, WISH, 0));

it('makes the file for its owner alone, with a key of its own, and the token is nowhere in it', async () => {
  const { token, kept } = await add();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readTokenFile(path)).toEqual({ session_key: expect.stringMatching(/^[0-9a-f]{64}$/), tokens: [kept] });
  expect(token).toMatch(/^rs_[\w-]{43}$/);
  expect(readFileSync(path, 'utf8')).not.toContain(token.slice(3));
  const key = readTokenFile(path)?.session_key;
  await add();
  expect(readTokenFile(path)?.session_key).toBe(key);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('of many that change it at once none is lost', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, add));
  const kept = readTokenFile(path)?.tokens.map(({ id }) => id) ?? [];
  expect(kept.toSorted()).toEqual(made.map((one) => one.kept.id).toSorted());
  expect(readdirSync(join(folder, 'data'))).toEqual(['tokens.json']);
});

it('a change that is refused leaves the file as it was, and no draft', async () => {
  await add();
  const before = readFileSync(path, 'utf8');
  const refused = changeTokens(path, () => {
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(existsSync(`${path}.new`)).toBe(false);
});

it('a draft that a dead process left behind does not stay in the way', async () => {
  await add();
  writeFileSync(`${path}.new`, '{');
  utimesSync(`${path}.new`, 1_000, 1_000);
  await add();
  expect(readTokenFile(path)?.tokens).toHaveLength(2);
});

it('a damaged file is not overwritten', async () => {
  await add();
  writeFileSync(path, '{');
  await expect(add()).rejects.toMatchObject({ code: 'RS_CONFIG' });
  expect(readFileSync(path, 'utf8')).toBe('{');
});
