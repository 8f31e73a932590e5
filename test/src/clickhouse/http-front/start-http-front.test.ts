import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpFront, startHttpFront } from '../../../../src/clickhouse/http-front/start-http-front.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { sampleDecision } from '../tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../temporary-store.ts';

let temporary: TemporaryStore;
/** Serves queries only; and one that also takes rows, under a password. */
let front: HttpFront;
let writable: HttpFront;
const token = 'a token of its own';

beforeAll(async () => {
  temporary = await temporaryStore();
  const decisions = [
    sampleDecision(1, { reward: null }),
    sampleDecision(2, { rollout_id: 'r1', unit: 'run-1/0/r/r1' }),
  ];
  await temporary.store.insert(encodeDecisions(decisions, { topic: 't', term: 1 }));
  const options = { folder: temporary.folder, host: '127.0.0.1', port: 0 };
  front = await startHttpFront({ ...options, writable: false, token: null });
  writable = await startHttpFront({ ...options, writable: true, token });
});
afterAll(async () => {
  await front.close();
  await writable.close();
  await temporary.remove();
});

const post = (body: string | Buffer, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${front.url}/?${new URLSearchParams(query)}`, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers,
  });
const write = (body: string | Buffer, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${writable.url}/?${new URLSearchParams(query)}`, {
    ...{ method: 'POST', body: new Uint8Array(Buffer.from(body)) },
    headers: { 'x-clickhouse-user': 'u', 'x-clickhouse-key': token, ...headers },
  });
const text = async (response: Promise<Response>) => (await response).text();

describe('answers', () => {
  test('whether it is there', async () => {
    expect(await text(fetch(`${front.url}/ping`))).toBe('Ok.\n');
    expect(await text(fetch(front.url))).toBe('Ok.\n');
    expect((await fetch(`${front.url}/play`)).status).toBe(404);
  });

  test('a query in the URL, in the body, in both, in a form', async () => {
    expect(await text(fetch(`${front.url}/?query=SELECT%201`))).toBe('1\n');
    expect(await text(post('SELECT 1, 2 FORMAT CSV;'))).toBe('1,2\n');
    expect(await text(post('FROM numbers(2) FORMAT CSV', { query: 'SELECT number' }))).toBe('0\n1\n');
    const form = new FormData();
    form.set('query', 'SELECT {a:String} AS a');
    form.set('param_a', 'ä\\tb');
    expect(await text(fetch(`${front.url}/?default_format=JSONEachRow`, { method: 'POST', body: form }))).toBe(
      '{"a":"ä\\tb"}\n',
    );
  });

  test('in the format that the statement names, else in the default one, with its facts in headers', async () => {
    const answer = await post('SELECT reward FROM decisions ORDER BY offset', {
      default_format: 'JSONCompactEachRow',
      query_id: 'q7',
    });
    expect(await answer.text()).toBe('[null]\n[1]\n');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ 'x-clickhouse-format': 'JSONCompactEachRow', 'x-clickhouse-query-id': 'q7' },
      ...{
        'x-clickhouse-server-display-name': 'rollstream',
        'x-clickhouse-summary': expect.stringContaining('read_rows'),
      },
    });
    const named = await post('SELECT 1 AS a SETTINGS max_threads = 1 FORMAT RowBinary', { default_format: 'CSV' });
    expect(Buffer.from(await named.arrayBuffer())).toEqual(Buffer.from([1]));
    expect(named.headers.get('x-clickhouse-format')).toBe('RowBinary');
  });

  test('bytes as they are', async () => {
    const answer = await post("SELECT unhex('00ff80EDA080') AS b FORMAT RowBinary");
    expect(Buffer.from(await answer.arrayBuffer()).toString('hex')).toBe('0600ff80eda080');
  });

  test('mistakes with the code, the text and the status of ClickHouse', async () => {
    const unknown = await post('SELECT nope FROM decisions');
    expect([unknown.status, unknown.headers.get('x-clickhouse-exception-code')]).toEqual([400, '47']);
    expect(await unknown.text()).toMatch(/^Code: 47\. DB::Exception: .*nope.*\(UNKNOWN_IDENTIFIER\)\n$/s);
    expect((await post('SELECT * FROM no_such')).status).toBe(404);
    expect((await post('SELECT 1', { database: 'other' })).status).toBe(404);
    expect(await text(post('SELECT 1', { compress: '1' }))).toMatch(/NOT_IMPLEMENTED/);
  });

  test('gzip, both ways, where the client asks for it', async () => {
    const zipped = gzipSync('SELECT number FROM numbers(5000)');
    const answer = await new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const headers = { 'content-encoding': 'gzip', 'accept-encoding': 'gzip' };
      const sent = request(`${front.url}/?enable_http_compression=1`, { method: 'POST', headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(parts) }),
        );
      });
      sent.on('error', reject).end(zipped);
    });
    expect(answer.encoding).toBe('gzip');
    expect(gunzipSync(answer.body).toString().split('\n')).toHaveLength(5_001);
  });

  test('parameters of one request are not those of the next', async () => {
    expect(await text(post('SELECT {a:String}', { param_a: '1' }))).toBe('1\n');
    expect(await text(post('SELECT {a:String}'))).toMatch(/Code: 456\./);
    const many = Array.from({ length: 12 }, (_, index) => text(post('SELECT {a:UInt8}', { param_a: `${index}` })));
    expect(await Promise.all(many)).toEqual(Array.from({ length: 12 }, (_, index) => `${index}\n`));
  });
});

describe('only reads', () => {
  test.each([
    ["INSERT INTO documents (id, kind, content) VALUES ('a', 'policy', 'x')", 'READONLY'],
    ['INSERT INTO documents FORMAT JSONEachRow {"id":"a"}', 'READONLY'],
    ['INSERT INTO documents SELECT * FROM documents', 'READONLY'],
    ['DROP TABLE documents', 'READONLY'],
    ['SET readonly = 0', 'READONLY'],
    ["SELECT * FROM file('/etc/passwd', 'LineAsString')", 'ACCESS_DENIED'],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", 'ACCESS_DENIED'],
    ["SELECT 1 FORMAT CSV INTO OUTFILE '/tmp/x'", 'ACCESS_DENIED'],
    ['SELECT 1; DROP TABLE documents', 'ACCESS_DENIED'],
    ['SELECT * FROM system.server_settings', 'ACCESS_DENIED'],
    ["SELECT 1 SETTINGS format_schema = '/etc/passwd'", 'SETTING_CONSTRAINT_VIOLATION'],
    ["SELECT 1 SETTINGS output_format_schema = '/tmp/x'", 'SETTING_CONSTRAINT_VIOLATION'],
    ['SELECT number FROM numbers(1000001) SETTINGS max_result_rows = 0', 'TOO_MANY_ROWS_OR_BYTES'],
    ['SELECT number FROM numbers(100) SETTINGS max_result_rows = 10, readonly = 0', 'TOO_MANY_ROWS_OR_BYTES'],
  ])('%s', async (sql, type) => {
    const answer = await post(sql);
    expect(await answer.text()).toContain(`(${type})`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test('an insert by the official client is refused, and says why', async () => {
    const client = createClient({ url: front.url, log: { level: 127 } });
    const insert = client.insert({ table: 'documents', values: [{ id: 'a' }], format: 'JSONEachRow' });
    await expect(insert).rejects.toMatchObject({ code: '164', type: 'READONLY' });
    await client.close();
  });

  test('no page of another origin, no other name of the host', async () => {
    expect((await post('SELECT 1', {}, { origin: 'http://evil.example' })).status).toBe(403);
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${front.url}/?query=SELECT%201`, { headers: { host: 'evil.example' } }, (response) => {
        resolve(response.resume().statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(403);
  });
});

describe('writable', () => {
  const counted = (id: string) =>
    temporary.store.query(`SELECT content FROM rollstream.documents WHERE id = {id:String}`, { id });

  test('asks for the password, by each of the ways to give one', async () => {
    const url = `${writable.url}/?query=SELECT%201`;
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { headers: { 'x-clickhouse-key': 'wrong' } })).status).toBe(403);
    expect(await text(fetch(`${url}&user=u&password=${encodeURIComponent(token)}`))).toBe('1\n');
    const basic = `Basic ${Buffer.from(`u:${token}`).toString('base64')}`;
    expect(await text(fetch(url, { headers: { authorization: basic } }))).toBe('1\n');
  });

  test('takes rows behind the statement, in the URL and the body, as text, binary and gzip', async () => {
    const insert = 'INSERT INTO documents (id, kind, content)';
    const rowBinary = (id: string, content: string) =>
      Buffer.concat(
        [id, 'policy', content].map((value) =>
          Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]),
        ),
      );
    const cases: Array<[string, () => Promise<Response>]> = [
      ['a1', () => write(`${insert} VALUES ('a1', 'policy', 'it''s')`)],
      ['a2', () => write('{"id":"a2","kind":"policy","content":"it\'s"}', { query: `${insert} FORMAT JSONEachRow` })],
      ['a3', () => write(`${insert} FORMAT CSV\na3,policy,it's\n`)],
      ['a4', () => write(rowBinary('a4', "it's"), { query: `${insert} FORMAT RowBinary` })],
      [
        'a5',
        () =>
          write(
            gzipSync(rowBinary('a5', "it's")),
            { query: `${insert} FORMAT RowBinary` },
            { 'content-encoding': 'gzip' },
          ),
      ],
      ['a6', () => write(Buffer.concat([Buffer.from(`${insert} FORMAT RowBinary\n`), rowBinary('a6', "it's")]))],
      ['a7', () => write(`${insert} SELECT 'a7', 'policy', content FROM documents WHERE id = 'a1'`)],
    ];
    for (const [id, sent] of cases) {
      // One after another: the last reads what the first wrote.
      const answer = await sent();
      expect(await answer.text()).toBe('');
      expect(answer.status).toBe(200);
      expect(await counted(id)).toEqual([{ content: "it's" }]);
    }
    expect(await readdir(join(temporary.folder, 'front-inbox'))).toEqual([]);
  });

  test('tells how many rows it took', async () => {
    const answer = await write("INSERT INTO documents (id) VALUES ('b1'), ('b2')");
    expect(JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '')).toMatchObject({ written_rows: '2' });
  });

  test('a body that breaks off inserts nothing', async () => {
    const query = 'INSERT INTO documents (id, kind, content) FORMAT CSV';
    await new Promise<void>((resolve) => {
      const url = `${writable.url}/?${new URLSearchParams({ query })}`;
      const headers = { 'x-clickhouse-key': token, 'content-length': '1000' };
      const sent = request(url, { method: 'POST', headers });
      sent.on('error', () => resolve());
      sent.write('torn,policy,x\n', () => sent.destroy(new Error('broken off')));
    });
    await expect.poll(() => readdir(join(temporary.folder, 'front-inbox'))).toEqual([]);
    expect(await counted('torn')).toEqual([]);
  });

  test.each([
    ["INSERT INTO documents (id) VALUES (file('/etc/hostname'))", /Code/],
    ["INSERT INTO FUNCTION file('/tmp/x', 'CSV', 'a UInt8') VALUES (1)", /ACCESS_DENIED/],
    ["INSERT INTO documents (id) SELECT * FROM file('/etc/passwd', 'LineAsString')", /ACCESS_DENIED/],
    ["INSERT INTO documents FROM INFILE '/etc/passwd' FORMAT LineAsString", /ACCESS_DENIED/],
    ['INSERT INTO default.`/tmp/x.csv` VALUES (1)', /ACCESS_DENIED/],
    ["CREATE TABLE x (a String) ENGINE = File(CSV, '/etc/passwd')", /ACCESS_DENIED/],
    ["CREATE TABLE x (a String) ENGINE = URL('http://127.0.0.1:1/', CSV)", /ACCESS_DENIED/],
    ['CREATE TEMPORARY TABLE x (a String)', /ACCESS_DENIED/],
    ['CREATE FUNCTION f AS (x) -> x', /ACCESS_DENIED/],
    ['SYSTEM SHUTDOWN', /ACCESS_DENIED/],
    ["BACKUP DATABASE rollstream TO Disk('d', 'x')", /ACCESS_DENIED/],
  ])('keeps to the store: %s', async (sql, refusal) => {
    expect(await text(write(sql))).toMatch(refusal);
  });

  test('not by GET', async () => {
    const query = encodeURIComponent("INSERT INTO documents (id) VALUES ('g')");
    const answer = await fetch(`${writable.url}/?query=${query}`, { headers: { 'x-clickhouse-key': token } });
    expect(await answer.text()).toContain('(READONLY)');
  });

  test('the official client writes and reads, rows of many columns too', async () => {
    const client = createClient({ url: writable.url, password: token, compression: { request: true, response: true } });
    const ddl = 'CREATE TABLE x (a UInt64, b Array(Nullable(String))) ENGINE = MergeTree ORDER BY a';
    await client.command({ query: ddl });
    const values = Array.from({ length: 500 }, (_, a) => ({ a, b: [`${a}`, null] }));
    await client.insert({ table: 'x', values, format: 'JSONEachRow' });
    const found = await client.query({
      ...{ query: 'SELECT * FROM x WHERE a >= {from:UInt64} ORDER BY a', query_params: { from: 10 } },
      ...{ format: 'JSONEachRow' as const, use_multipart_params: true },
    });
    expect(await found.json()).toEqual(values.slice(10));
    await client.command({ query: 'DROP TABLE x' });
    await client.close();
  });
});
