import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/config/package-file.ts';
import type { openApi } from '../../../src/server/openapi.ts';
import type { Readiness } from '../../../src/server/readiness.ts';
import { cli, type RunningCli, startCli } from '../cli/test-io.ts';

const TOKEN = 'a-token-of-some-length';
/** SHA-256 of its tokenizer.json, as the example rollouts name it. */
const QWEN3 = 'aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4';
const env = { ROLLSTREAM_HTTP_TOKEN: TOKEN, ROLLSTREAM_LIMITS_BODY: '64KB' };

let folder = '';
let server: RunningCli;
let url = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-server-'));
  const data = ['--data', join(folder, 'data')];
  await cli(['import', packageFile('examples', 'rollouts', 'kv-nemo', 'rollouts.jsonl'), '--run', 'kv', ...data]);
  server = startCli(['up', '--port', '0', ...data], { env });
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
  // Lanes are rebuilt in the background. That all is drained says nothing of this process: who wrote it had committed it too.
  while (!(await fetch(`${url}/readyz`)).ok) await ask('/v1/import/drained');
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true });
});

function ask(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
  return fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
}

function query(body: unknown): Promise<Response> {
  return ask('/v1/query', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
}

describe('without the token', () => {
  it('only the probes answer', async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    for (const path of ['/metrics', '/v1/accounting', '/v1/runs', '/v1/ready', '/v1/openapi.json', '/v1/nowhere']) {
      const response = await fetch(`${url}${path}`);
      expect(response.status, path).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'RS_UNAUTHORIZED', field: 'authorization' } });
    }
  });

  it('commands are refused with 2, and work with it', async () => {
    const data = ['--data', join(folder, 'data')];
    expect(await cli(['accounting', ...data])).toMatchObject({ code: 2, stdout: '' });
    expect(await cli(['accounting', ...data], { env })).toMatchObject({ code: 0 });
  });

  it('it is nowhere in what the server says', async () => {
    expect((await server.said(/^[\s\S]*$/))[0]).not.toContain(TOKEN);
  });
});

describe('a page signs in with the token', () => {
  const session = (method: string, init: RequestInit = {}) => fetch(`${url}/v1/session`, { method, ...init });
  const signIn = (token: string, origin = url) =>
    session('POST', { body: JSON.stringify({ token }), headers: { origin } });
  const cookieOf = (response: Response): string => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

  it('and its cookie is as good as the token, until it signs out', async () => {
    expect(await (await session('GET')).json()).toEqual({ needs_token: true, signed_in: false });
    const answer = await signIn(TOKEN);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^rollstream_session_\d+=\S+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(answer);
    expect(await (await session('GET', { headers: { cookie } })).json()).toEqual({
      needs_token: true,
      signed_in: true,
    });
    expect((await fetch(`${url}/v1/runs`, { headers: { cookie } })).status).toBe(200);
    const gone = await session('DELETE', { headers: { cookie, origin: url } });
    expect(await gone.json()).toEqual({ needs_token: true, signed_in: false });
    expect(gone.headers.get('set-cookie')).toContain('Max-Age=0');
  });

  it('which changes things for our own page alone', async () => {
    const cookie = cookieOf(await signIn(TOKEN));
    const asked = (headers: Record<string, string>) =>
      fetch(`${url}/v1/query`, { method: 'POST', body: '{"sql":"select 1 as x"}', headers: { cookie, ...headers } });
    expect(await (await asked({ origin: url })).json()).toEqual([{ x: 1 }]);
    const others: Record<string, string>[] = [
      {},
      { origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of others) {
      const refused = await asked(headers);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: { code: 'RS_UNAUTHORIZED', field: 'origin' } });
    }
  });

  it('another token is refused, and another page may not try', async () => {
    expect((await signIn(`${TOKEN}x`)).status).toBe(401);
    expect((await signIn(TOKEN, 'http://evil.example')).status).toBe(401);
    expect((await session('POST', { body: '{}' })).status).toBe(400);
  });
});

describe('errors have a code, a message and the fitting status', () => {
  it.each([
    ['an unknown route', () => ask('/v1/nowhere'), 404, { code: 'RS_NOT_FOUND' }],
    ['an unknown rollout', () => ask('/v1/rollouts/nobody'), 404, { code: 'RS_NOT_FOUND', record: 'nobody' }],
    ['a body that is no JSON', () => query('{'), 400, { code: 'RS_USAGE' }],
    ['a query without SQL', () => query({}), 400, { code: 'RS_USAGE', field: 'sql' }],
    ['a format that does not exist', () => query({ sql: 'select 1', format: 'xml' }), 400, { field: 'format' }],
    ['a parameter that is an object', () => query({ sql: 'select 1', params: { x: {} } }), 400, { field: 'params.x' }],
    ['a statement that writes', () => query({ sql: 'drop table x' }), 400, { code: 'RS_QUERY_REFUSED' }],
    [
      'a statement that reads files',
      () => query({ sql: "select * from file('x')" }),
      400,
      { code: 'RS_QUERY_REFUSED' },
    ],
    ['a mistake in SQL', () => query({ sql: 'select nope' }), 400, { code: 'RS_QUERY_FAILED' }],
    ['a limit that is no number', () => ask('/v1/ready?limit=all'), 400, { code: 'RS_USAGE', field: 'limit' }],
    ['a limit too large', () => ask('/v1/ready?limit=100000'), 400, { code: 'RS_USAGE', field: 'limit' }],
    [
      'a body above the limit',
      () => query({ sql: `select 1 -- ${'x'.repeat(70_000)}` }),
      413,
      { code: 'RS_TOO_LARGE' },
    ],
    [
      'frames of another type',
      () => ask('/v1/import/events', { method: 'POST', body: 'x' }),
      400,
      { field: 'content-type' },
    ],
  ])('%s', async (_, request, status, error) => {
    const response = await request();
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String), ...error } });
  });

  it('a body whose length nobody said is cut at the limit', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    const init = { method: 'POST', body: endless, duplex: 'half' } as const;
    const answer = await ask('/v1/query', init).then(
      ({ status }) => status,
      () => 'cut',
    );
    expect([413, 'cut']).toContain(answer);
  });
});

describe('answers', () => {
  it('have no CORS header', async () => {
    const response = await ask('/v1/runs');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('of ready page through all of it, each once', async () => {
    const whole = (await (await ask('/v1/ready')).text()).trim().split('\n');
    const paged: string[] = [];
    let next = '0';
    for (let remaining = '1'; remaining === '1'; ) {
      const page = await ask(`/v1/ready?limit=1&from=${next}`);
      paged.push(...(await page.text()).trim().split('\n'));
      next = page.headers.get('rollstream-next') ?? '';
      remaining = page.headers.get('rollstream-remaining') ?? '';
    }
    expect(whole.length).toBeGreaterThan(1);
    expect(paged).toEqual(whole);
  });

  it('of query come as JSON, lines or CSV', async () => {
    const sql = 'select {n:Int64} as n';
    const text = async (format?: string) => (await query({ sql, params: { n: 7 }, format })).text();
    expect(JSON.parse(await text())).toEqual([{ n: 7 }]);
    expect(await text('jsonl')).toBe('{"n":7}\n');
    expect(await text('csv')).toBe('"n"\n7\n');
  });

  it('of query take lists of text and of numbers, and say what else a parameter may be', async () => {
    const sql = 'select {t:Array(String)} as t, {n:Array(Int64)} as n';
    const params = { t: ["it's", 'b\tc'], n: [1, -2] };
    expect(await (await query({ sql, params })).json()).toEqual([params]);
    for (const t of [['a', 1], [['a']], { a: 1 }, Array.from({ length: 10_001 }, () => 1)]) {
      const response = await query({ sql, params: { t, n: [] } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'RS_USAGE', field: 'params.t' } });
    }
  });

  it('of /metrics hold what the metrics table promises', async () => {
    const text = await (await ask('/metrics')).text();
    for (const name of [
      'rollstream_lane_lag_records',
      'rollstream_lane_open_units',
      'rollstream_http_request_seconds',
    ]) {
      expect(text).toContain(`# HELP ${name} `);
    }
    expect(text).toMatch(/rollstream_lane_lag_records\{partition="0"\} 0/);
  });

  it('of status say how far the lanes are', async () => {
    const status = await (await ask('/v1/status')).json();
    const { lanes }: Readiness = JSON.parse(await (await ask('/readyz')).text());
    const [lane] = lanes;
    expect(status).toEqual({
      version: JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version,
      readiness: { ready: true, reason: '' },
      lanes: [
        {
          ...{ topic: 'rollout.steps', partition: 0, frontier: lane?.frontier, end: lane?.frontier, lag: 0 },
          ...{ open_attempts: 0, restored: true },
        },
      ],
    });
    expect(lane?.frontier).toBeGreaterThan(0);
  });

  it('of pieces say what the ids of the examples stand for, by the tokenizer that a record names or that a person names', async () => {
    const { tokenizers }: { tokenizers: unknown[] } = JSON.parse(await (await ask('/v1/tokenizers')).text());
    expect(tokenizers).toEqual([{ sha256: QWEN3, name: 'Qwen3', source: 'examples' }]);
    const pieces = async (body: object) =>
      (await ask('/v1/pieces', { method: 'POST', body: JSON.stringify({ ids: [151645, 17], ...body }) })).json();
    const told = { 17: { text: '2' }, 151645: { text: '<|im_end|>', special: true } };
    const [tokenizer] = tokenizers;
    expect(await pieces({ tokenizer_sha256: QWEN3 })).toEqual({ tokenizer, is_recorded: true, pieces: told });
    expect(await pieces({ tokenizer_sha256: null, assumed_sha256: QWEN3 })).toEqual({
      ...{ tokenizer, is_recorded: false, pieces: told },
    });
    expect(await pieces({ tokenizer_sha256: null })).toEqual({
      ...{ tokenizer: null, is_recorded: false, pieces: { 17: null, 151645: null } },
    });
  });

  it('of openapi.json describe only what is there', async () => {
    const { paths }: typeof openApi = JSON.parse(await (await ask('/v1/openapi.json')).text());
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        const response = await ask(path.replace('{id}', 'nobody'), { method: method.toUpperCase() });
        const error = response.ok ? '' : JSON.stringify(await response.json());
        expect(error, `${method} ${path}`).not.toContain('no such route');
      }
    }
  });
});
