import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NamedQuery, namedQueries } from '../../../src/access/named-queries.ts';
import { createRemoteAccess } from '../../../src/access/remote.ts';
import { createServerClient } from '../../../src/access/server-client.ts';
import { cli } from '../cli/test-io.ts';
import { type IngestServer, LINES, linesOf, rolloutEvents, startIngestServer } from '../ingest/http/ingest-server.ts';

const HTTP_TOKEN = 'a-token-of-some-length';
let folder = '';
let server: IngestServer;
let env: Record<string, string> = {};
const made = new Map<string, { readonly id: string; readonly token: string }>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-tenants-'));
  env = { ROLLSTREAM_HTTP_TOKENS_FILE: join(folder, 'tokens.json'), ROLLSTREAM_HTTP_TOKEN: HTTP_TOKEN };
  await create('producer', 'mine');
  await create('reader', 'mine');
  await create('reader');
  await create('trainer', 'mine');
  // Each run may send so many at once; what the tests send of the others is less.
  server = await startIngestServer({ ...env, ROLLSTREAM_LIMITS_RUN_EVENTS_PER_SECOND: '100' });
  const theirs = (n: number) =>
    rolloutEvents(`hidden-${n}`, {
      run_id: 'theirs',
      env_name: 'hidden-env',
      task_id: 'hidden-task',
      producer_id: 'p-theirs',
    });
  const mine = rolloutEvents('o0', { run_id: 'mine' });
  await server.post('/v1/steps', linesOf([...[0, 1, 2].flatMap(theirs), ...mine]), LINES);
  await server.drained();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function create(role: string, ...runs: string[]): Promise<void> {
  const { stdout } = await cli(
    ['tokens', 'create', '--json', '--role', role, ...runs.flatMap((run) => ['--run', run])],
    { env },
  );
  made.set([role, ...runs].join(':'), JSON.parse(stdout));
}

const tokenOf = (name: string): string => made.get(name)?.token ?? '';

function ask(name: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${tokenOf(name)}` },
  });
}

const post = async (name: string, path: string, text: string) => {
  const response = await ask(name, path, { method: 'POST', body: text, headers: LINES });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

describe('a producer of one run', () => {
  it('sends to it, and not to another: of a body that mixes them its own are taken', async () => {
    const events = [...rolloutEvents('o1', { run_id: 'mine' }), ...rolloutEvents('o2', { run_id: 'theirs' })];
    const { status, body } = await post('producer:mine', '/v1/steps', linesOf(events));
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 3, refused_count: 3 });
    expect(body.refused[0]).toMatchObject({ index: 3, field: 'run_id', got: 'theirs', code: 'RS_FORBIDDEN' });
    expect(await server.query("SELECT count() AS n FROM rollstream.steps WHERE rollout_id = 'o2'")).toEqual([{ n: 0 }]);
  });

  it('is answered the same for a run that is there and one that is not, for steps and for verdicts', async () => {
    const answers: unknown[] = [];
    for (const run of ['theirs', 'nobody']) {
      const steps = await post('producer:mine', '/v1/steps', linesOf(rolloutEvents('hidden-0', { run_id: run })));
      const verdict = { run_id: run, rollout_id: 'hidden-0', scorer: 's', reward: 1 };
      const verdicts = await post('producer:mine', '/v1/verdicts', linesOf([verdict]));
      for (const { status, body } of [steps, verdicts])
        expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'RS_FORBIDDEN' });
      answers.push(JSON.parse(JSON.stringify([steps, verdicts]).replaceAll(run, 'RUN')));
    }
    expect(answers[1]).toEqual(answers[0]);
  });

  it('ends its own producers, and none that has written in another run', async () => {
    const ended = (producer_id: string) =>
      post('producer:mine', '/v1/producers/ended', JSON.stringify({ producer_id }));
    expect((await ended('http')).status).toBe(200);
    expect(await ended('p-theirs')).toMatchObject({ status: 403, body: { error: { code: 'RS_FORBIDDEN' } } });
  });
});

describe('a run that is over its quota', () => {
  it('is answered 429, how far it came and when to come again; other runs never are', async () => {
    const of = (run: string, n: number) => ({ run_id: run, rollout_id: `m${n}`, kind: 'message', seq: 1 });
    const said = (run: string, n: number) => ({ ...of(run, n), message: { role: 'user', parts_json: '"x"' } });
    const noisy = linesOf(Array.from({ length: 6_000 }, (_, n) => said('noisy', n)));
    const send = (body: string) => server.post('/v1/steps', body, LINES);
    // It overdraws a minute's worth: whatever comes within that is too early.
    expect((await send(noisy)).status).toBe(200);
    for (let n = 0; n < 5; n++) {
      const refused = await send(noisy);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(refused.body).toMatchObject({
        accepted: 0,
        error: { code: 'RS_RUN_QUOTA', run: 'noisy', reason: 'events_per_second' },
      });
      expect((await send(linesOf([said('quiet', n)]))).status).toBe(200);
    }
    const mixed = await send(linesOf([said('quiet', 5), said('quiet', 6), said('noisy', 0), said('quiet', 7)]));
    expect(mixed).toMatchObject({ status: 429, body: { accepted: 2, refused_count: 0 } });
    const text = await (await ask('reader', '/metrics')).text();
    expect(text).toContain('rollstream_run_quota_total{run="noisy",quota="events_per_second"} 6');
    expect(text).toContain('rollstream_run_records_total{run="quiet",outcome="accepted"} 7');
    expect(text).not.toContain('rollstream_run_quota_total{run="quiet"');
  });
});

describe('a reader of one run', () => {
  const VALUES: Readonly<Record<string, string>> = {
    ...{ rollout: 'hidden-0', unit: 'theirs/0/r/hidden-0', step: '0', runs: "['theirs']", froms: '[0]' },
  };

  it('finds nothing of another in any query that is shipped', async () => {
    const { queries }: { queries: NamedQuery[] } = JSON.parse(await (await ask('reader:mine', '/v1/named')).text());
    expect(queries.length).toBeGreaterThan(30);
    let answered = 0;
    for (const { name, params } of queries) {
      const given = new URLSearchParams({ run: 'mine' });
      for (const { name: needed, preset } of params)
        if (preset === null && needed !== 'run') given.set(needed, VALUES[needed] ?? '0');
      const response = await ask('reader:mine', `/v1/named/${name}?${given}`);
      const hasRun = params.some((param) => param.name === 'run');
      const text = await response.text();
      expect(response.status, `${name}: ${text.slice(0, 300)}`).toBe(hasRun ? 200 : 400);
      expect(text.replace('theirs/0/r/hidden-0', ''), name).not.toMatch(/hidden|theirs/);
      if (hasRun) answered += 1;
      expect((await ask('reader:mine', `/v1/named/${name}`)).status).toBe(403);
    }
    expect(answered).toBeGreaterThan(30);
  });

  it('sees its runs alone, and no SQL, and an operator of all runs sees all', async () => {
    const runs = async (headers: Record<string, string>) => {
      const { runs }: { runs: { run_id: string }[] } = JSON.parse(
        await (await fetch(`${server.url}/v1/runs`, { headers })).text(),
      );
      return runs.map(({ run_id }) => run_id).toSorted();
    };
    expect(await runs({ authorization: `Bearer ${tokenOf('reader:mine')}` })).toEqual(['mine']);
    expect(await runs({ authorization: `Bearer ${HTTP_TOKEN}` })).toEqual(expect.arrayContaining(['mine', 'theirs']));
    const sql = { method: 'POST', body: '{"sql":"SELECT 1 AS x"}' };
    expect((await ask('reader:mine', '/v1/query', sql)).status).toBe(403);
    expect((await ask('trainer:mine', '/v1/query', sql)).status).toBe(403);
    expect(await (await ask('reader', '/v1/query', sql)).json()).toEqual([{ x: 1 }]);
    expect((await ask('reader:mine', '/v1/export?run=theirs')).status).toBe(403);
    expect((await ask('reader:mine', '/v1/rollouts/hidden-0')).status).toBe(403);
    expect((await ask('reader:mine', '/v1/gates')).status).toBe(200);
  });

  it('has the rows of a query that is shipped for its run, as commands ask for them', async () => {
    const access = createRemoteAccess(createServerClient({ url: server.url, token: tokenOf('reader:mine') }));
    const accounting = namedQueries().find(({ name }) => name === 'accounting');
    const rows = (run: string) => access.query(accounting?.sql ?? '', 'jsonl', { run });
    expect(JSON.parse((await rows('mine')).split('\n')[0] ?? '')).toMatchObject({ run_id: 'mine' });
    await expect(rows('theirs')).rejects.toMatchObject({ code: 'RS_FORBIDDEN', facts: { run: 'theirs' } });
    await expect(access.query('SELECT 1', 'jsonl', {})).rejects.toMatchObject({ code: 'RS_FORBIDDEN' });
  });

  it('signs in on the page with its own rights, until the token is revoked', async () => {
    const origin = server.url;
    const body = JSON.stringify({ token: tokenOf('reader:mine') });
    const signedIn = await fetch(`${server.url}/v1/session`, { method: 'POST', body, headers: { origin } });
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(cookie).not.toContain(tokenOf('reader:mine').slice(3));
    const get = (path: string) => fetch(`${server.url}${path}`, { headers: { cookie } });
    expect((await get('/v1/accounting?run=mine')).status).toBe(200);
    expect((await get('/v1/accounting?run=theirs')).status).toBe(403);
    expect((await cli(['tokens', 'revoke', made.get('reader:mine')?.id ?? ''], { env })).code).toBe(0);
    let status = 200;
    for (const until = performance.now() + 10_000; status === 200 && performance.now() < until; )
      ({ status } = await get('/v1/accounting?run=mine'));
    expect(status).toBe(401);
    expect((await ask('reader:mine', '/v1/runs')).status).toBe(401);
  });
});
