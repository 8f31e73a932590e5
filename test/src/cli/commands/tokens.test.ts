import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli } from '../test-io.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-tokens-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tokens = (...argv: string[]) => cli(['tokens', ...argv, '--data', join(folder, 'data')]);
const file = (): string => readFileSync(join(folder, 'data', 'tokens.json'), 'utf8');

it('prints the token once, on stdout alone, and never again', async () => {
  const made = await tokens('create', '--role', 'producer', '--run', 'math', '--run', 'code', '--name', 'workers');
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^rs_[\w-]{43}\n$/);
  const token = made.stdout.trim();
  const [, id = ''] = /^token (\w{12}) \(producer of math, code\)/.exec(made.stderr) ?? [];
  const revoked = await tokens('revoke', id);
  const listed = await tokens('list');
  const asJson = await tokens('list', '--json');
  for (const said of [made.stderr, revoked.stdout, revoked.stderr, listed.stdout, listed.stderr, asJson.stdout, file()])
    expect(said).not.toContain(token.slice(3));
  expect(listed.stdout).toMatch(new RegExp(`${id} +workers +producer +math, code +\\S+ +revoked`));
});

it('the first one says that it shuts out who has none, and no other does', async () => {
  expect((await tokens('create', '--role', 'reader')).stderr).toContain('every request needs a token');
  expect((await tokens('create', '--role', 'reader')).stderr).not.toContain('every request');
});

it('as JSON it says what the token is for, and nothing that could be guessed from', async () => {
  const made = await tokens('create', '--role', 'reader', '--expires', '90d', '--json');
  const { token, id, created_at, expires_at, ...rest } = JSON.parse(made.stdout);
  expect(token).toMatch(/^rs_/);
  expect(rest).toEqual({ name: '', role: 'reader', runs: null, revoked_at: null });
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(90 * 86_400_000);
  expect(JSON.parse((await tokens('list', '--json')).stdout)).toEqual({
    tokens: [{ ...rest, id, created_at, expires_at }],
  });
});

it('one that was revoked stays revoked since then', async () => {
  const { id } = JSON.parse((await tokens('create', '--role', 'operator', '--json')).stdout);
  const first = JSON.parse((await tokens('revoke', id, '--json')).stdout);
  expect(first.revoked_at).not.toBeNull();
  expect(JSON.parse((await tokens('revoke', id, '--json')).stdout)).toEqual(first);
});

it.each([
  ['a role that does not exist', ['create', '--role', 'root'], 2, 'producer, trainer, reader, operator'],
  ['no role', ['create'], 2, '--role'],
  ['an end without a unit', ['create', '--role', 'reader', '--expires', '90'], 2, 'a duration'],
  ['a run without a name', ['create', '--role', 'reader', '--run', ''], 2, '--run'],
  ['an id that nobody has', ['revoke', 'nobody'], 1, 'tokens list'],
])('%s is refused', async (_, argv, code, said) => {
  const refused = await tokens(...argv);
  expect(refused).toMatchObject({ code, stdout: '' });
  expect(refused.stderr).toContain(said);
});

it('a file of its own is used where one is named, and on Kafka it has to be', async () => {
  const path = join(folder, 'elsewhere.json');
  expect(
    (await cli(['tokens', 'create', '--role', 'reader'], { env: { ROLLSTREAM_HTTP_TOKENS_FILE: path } })).code,
  ).toBe(0);
  expect(JSON.parse(readFileSync(path, 'utf8')).tokens).toHaveLength(1);
  const env = {
    ...{ ROLLSTREAM_KAFKA_BROKERS: '127.0.0.1:1', ROLLSTREAM_REGISTRY_URL: 'http://127.0.0.1:1' },
    ROLLSTREAM_CLICKHOUSE_URL: 'http://127.0.0.1:1',
  };
  expect(await cli(['tokens', 'list'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('RS_CONFIG'),
  });
});

it('a damaged file is told of, and a server does not start on it', async () => {
  await tokens('create', '--role', 'reader');
  writeFileSync(join(folder, 'data', 'tokens.json'), '{');
  expect(await tokens('list')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('tokens.json cannot be used'),
  });
  expect(await cli(['up', '--port', '0', '--data', join(folder, 'data')])).toMatchObject({ code: 2 });
});
