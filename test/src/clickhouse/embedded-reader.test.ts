import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import type { Store } from '../../../src/clickhouse/port.ts';

let folder = '';
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-reader-'));
  store = await openEmbeddedStore({
    folder,
    readerLimits: { timeMs: 3_000, rows: 1_000_000, memoryBytes: 2_000_000_000 },
  });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

it('a long query with parameters keeps no statement of our own waiting', async () => {
  const order: string[] = [];
  const sql = 'SELECT count() FROM numbers(1000000000000) WHERE toString(number) = {a:String}';
  const long = store.queryAsReader(sql, 'JSONEachRow', { a: 'x' }).catch(() => order.push('long'));
  const running = "SELECT query FROM system.processes WHERE query LIKE 'SELECT count() FROM numbers(1000%'";
  while ((await store.query(running)).length === 0 && order.length === 0) await store.query('SELECT 1');
  await store.query('SELECT {b:String} AS b', { b: 'y' });
  order.push('ours');
  await long;
  expect(order).toEqual(['ours', 'long']);
});

it('a parameter that is not given is never the one of an earlier query', async () => {
  const rows = await store.queryAsReader('SELECT {secret:String} AS s', 'JSONEachRow', { secret: 'mine' });
  expect(rows).toBe('{"s":"mine"}\n');
  for (const sql of ['SELECT {secret:String}', 'SELECT { secret /* */ : String }', 'SELECT {toString:String}'])
    await expect(store.queryAsReader(sql, 'JSONEachRow', {}), sql).rejects.toMatchObject({ code: 'RS_QUERY_FAILED' });
});

it('values arrive as they were given, and names write nothing into a statement', async () => {
  const values = ["it's", 'a\\b', 'tab\tline\n', '\0', '{a:String}', "'; SET max_threads = 9; --", '🙂', ''];
  for (const value of values) {
    const text = await store.queryAsReader('SELECT {a:String} AS a', 'JSONEachRow', { a: value });
    expect(JSON.parse(text)).toEqual({ a: value });
  }
  const given = { "a = '1', max_threads": 'x', n: 3, list: ["o'k", 'b'], gone: null };
  const sql = 'SELECT {n:UInt32} AS n, {list:Array(String)} AS list, {gone:Nullable(String)} AS gone';
  expect(JSON.parse(await store.queryAsReader(sql, 'JSONEachRow', given))).toEqual({
    n: 3,
    list: ["o'k", 'b'],
    gone: null,
  });
});
