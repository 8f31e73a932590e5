import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, type ScriptedUpstream, startUpstream } from '../../scripted-upstream.ts';
import { type StartedProxy, startProxy } from '../../started-proxy.ts';

let upstream: ScriptedUpstream;
let proxy: StartedProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy(upstream.url);
});
beforeEach(() => {
  proxy.recording.ends.length = 0;
  proxy.recording.verdicts.length = 0;
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

async function post(path: string, body: unknown, headers: readonly string[] = []) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answered = await ask(`${proxy.url}${path}`, { method: 'POST', body: text, headers });
  return { status: answered.status, body: JSON.parse(answered.body) };
}

describe('POST /v1/rollouts/:id/end', () => {
  it('ends an attempt in the words of its loop, wherever its run is named', async () => {
    expect(
      await post('/r/run/a%2Fb/v1/rollouts/a%2Fb/end', { reason: 'task_complete', system: 'strands', env_reward: 0.5 }),
    ).toEqual({
      status: 200,
      body: { ended: 'a/b' },
    });
    await post('/v1/rollouts/x/end', {
      reasons: [{ raw: 'r', system: 's', detail: 'd' }],
      run_id: 'other',
      attempt: 2,
    });
    expect(proxy.recording.ends).toMatchObject([
      [
        { run: 'run', rollout: 'a/b', attempt: null },
        { reasons: [{ raw: 'task_complete', system: 'strands', detail: null }], finalResponse: null, envReward: 0.5 },
      ],
      [
        { run: 'other', rollout: 'x', attempt: 2 },
        { reasons: [{ raw: 'r', system: 's', detail: 'd' }], envReward: null },
      ],
    ]);
  });

  it('refuses what says nothing, or nothing that is known', async () => {
    const field = async (path: string, body: unknown) => (await post(path, body)).body.error.field;
    expect(await field('/v1/rollouts/x/end', {})).toBe('reason');
    expect(await field('/v1/rollouts/x/end', { reason: 'a', rewards: 1 })).toBe('rewards');
    expect(await field('/v1/rollouts/x/end', '{"reason"')).toBe('body');
    expect(await field('/v1/rollouts/x%0A/end', { reason: 'a' })).toBe('path: the rollout');
    expect(await post('/v1/rollouts/nobody/end', { reason: 'a' })).toMatchObject({
      status: 404,
      body: { error: { code: 'RS_NOT_FOUND' } },
    });
    expect((await ask(`${proxy.url}/v1/rollouts/x/end`)).status).toBe(400);
    expect(proxy.recording.ends).toEqual([]);
  });
});

describe('POST /v1/verdicts', () => {
  it('takes one, or several, as a rollstream server does', async () => {
    const one = { run_id: 'run', rollout_id: 'a', scorer: 's', reward: 1 };
    expect((await post('/v1/verdicts', one)).body).toEqual({ accepted: 1, refused_count: 0, refused: [] });
    const two = [
      {
        rollout_id: 7,
        attempt: 1,
        scorer: 't',
        scorer_version: '2',
        rewards: { a: 0, b: null },
        bound_to: 3,
        report: [1],
        event_id: 'e',
      },
      { scorer: 'u', status: 'timeout' },
    ];
    await post('/v1/verdicts', { verdicts: two }, ['x-rollstream-rollout', 'named']);
    expect(proxy.recording.verdicts).toMatchObject([
      [
        { run: 'run', rollout: 'a', attempt: null },
        { scorer: 's', scorerVersion: '', status: 'scored', rewards: { reward: 1 }, eventId: null },
      ],
      [
        { run: null, rollout: '7', attempt: 1 },
        { scorer: 't', scorerVersion: '2', rewards: { a: 0, b: null }, boundTo: 3, report: [1], eventId: 'e' },
      ],
      [{ rollout: 'named' }, { scorer: 'u', status: 'timeout', rewards: {} }],
    ]);
  });

  it('names those that it refuses, and takes the others', async () => {
    const { status, body } = await post('/v1/verdicts', [
      { rollout_id: 'a', scorer: 's', reward: null },
      { rollout_id: 'nobody', scorer: 's', reward: 1 },
      { rollout_id: 'a', scorer: 's' },
      { rollout_id: 'a', scorer: 's', status: 'crash', reward: 1 },
      { scorer: 's', reward: 1 },
      { rollout_id: 'a', scorer: 's', reward: 'much' },
      7,
    ]);
    expect([status, body.accepted, body.refused_count]).toEqual([200, 1, 6]);
    expect(body.refused.map(({ index, code, field }: Record<string, unknown>) => [index, code, field])).toEqual([
      [1, 'RS_NOT_FOUND', undefined],
      [2, 'RS_USAGE', 'reward'],
      [3, 'RS_USAGE', 'status'],
      [4, 'RS_USAGE', 'rollout_id'],
      [5, 'RS_USAGE', 'reward'],
      [6, 'RS_USAGE', 'verdict'],
    ]);
    expect((await post('/v1/verdicts', [{}])).status).toBe(422);
  });
});

describe('what a proxy says of itself', () => {
  it('is its health, its status and its metrics', async () => {
    upstream.answer = (res) => res.end('{}');
    await ask(`${proxy.url}/generate`, { method: 'POST', body: '{}' });
    expect((await ask(`${proxy.url}/rollstream/healthz`)).body).toBe('{"ok":true}');
    expect(JSON.parse((await ask(`${proxy.url}/rollstream/status`)).body)).toMatchObject({
      ...{ upstream: upstream.url.href, engine: 'openai', asks: 'all', refused_askings: [], last_problem: null },
      counts: { calls: 1, unrecorded: 0, passed: 0, in_flight: 1 },
      recording: {
        ...{ spooled_events: 3, not_auditable: { no_token_ids: 5 } },
        runs: [{ run: 'archived', events: 3, bytes: 4, problem: 'HTTP 409' }],
      },
    });
    const { body } = await ask(`${proxy.url}/rollstream/metrics`);
    expect(body).toContain('rollstream_proxy_calls_total{route="generate",how="complete"} 1');
    expect(body).toContain('rollstream_proxy_not_auditable_calls{why="no_token_ids"} 5');
    expect((await ask(`${proxy.url}/rollstream/else`)).status).toBe(404);
  });

  it('is told to no page that a browser has open, and none may end a rollout', async () => {
    const from = ['Origin', 'https://evil.example', 'sec-fetch-site', 'cross-site'];
    expect((await post('/v1/rollouts/x/end', { reason: 'a' }, from)).status).toBe(401);
    expect((await ask(`${proxy.url}/rollstream/status`, { headers: from })).status).toBe(401);
    expect(proxy.recording.ends).toEqual([]);
  });

  it('never goes to the upstream', async () => {
    upstream.received.length = 0;
    for (const path of ['/rollstream/status', '/v1/verdicts', '/v1/rollouts/a/end']) await ask(`${proxy.url}${path}`);
    expect(upstream.received).toEqual([]);
  });
});
