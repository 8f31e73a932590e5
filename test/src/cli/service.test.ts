import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterEach, expect, test } from 'vitest';
import { type RunningCli, startCli } from './test-io.ts';

const TOKEN = 'a-token-of-some-length';
const folder = mkdtempSync(join(tmpdir(), 'rollstream-service-'));
let server: RunningCli;
afterEach(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true, force: true });
});

const start = (env: Record<string, string>) =>
  startCli(['up', '--port', '0', '--data', join(folder, 'data')], { env: { ROLLSTREAM_HTTP_TOKEN: TOKEN, ...env } });

test('a ClickHouse client reads what a server has, with its token, and cannot write', async () => {
  server = start({ ROLLSTREAM_CLICKHOUSE_HTTP_PORT: '0' });
  const [, url = ''] = await server.said(/ClickHouse clients read at (\S+)/);
  await server.said(/serving at/);
  expect((await fetch(`${url}/?query=SELECT%201`)).status).toBe(403);
  const client = createClient({ url, password: TOKEN, log: { level: 127 } });
  const found = await client.query({ query: 'SELECT count() AS n FROM decisions', format: 'JSONEachRow' });
  expect(await found.json()).toEqual([{ n: 0 }]);
  await expect(client.command({ query: 'DROP TABLE decisions' })).rejects.toMatchObject({ type: 'READONLY' });
  await client.close();
});

test('or not, when that is turned off', async () => {
  server = start({ ROLLSTREAM_CLICKHOUSE_HTTP_ENABLED: 'false' });
  await server.said(/serving at/);
  server.interrupt();
  expect(await server.code).toBe(0);
  expect(await server.stderr()).not.toContain('ClickHouse clients');
});
