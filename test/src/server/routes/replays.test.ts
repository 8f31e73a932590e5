import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { NO_CHANGES } from '../../../../processors/replay/merge-tallies.ts';
import { RollstreamError } from '../../../../src/errors.ts';
import { readReplayRequest } from '../../../../src/rescore/read-replay-request.ts';
import { createRemoteReplays } from '../../../../src/rescore/remote-replays.ts';
import type { ReplayReport, ReplayStatus, Replays } from '../../../../src/rescore/replays.ts';
import { errorOfBody, errorResponse } from '../../../../src/server/error-response.ts';
import { openApi } from '../../../../src/server/openapi.ts';
import { replayRoutes } from '../../../../src/server/routes/replays.ts';

const STATUS: ReplayStatus = {
  ...{ replay_id: 'r1', label: '', state: 'running', interrupted: false, error: null, saved: true, chunks: 4 },
  ...{ chunks_done: 1, units: 9, units_done: 2, attempts: 5, changed: 3, emitted: 0, rate: null, eta_s: null },
  ...{ started_at: '2026-01-01T00:00:00.000Z', ended_at: null },
};
const REPORT: ReplayReport = {
  ...{ status: STATUS, policy_id: null, taxonomy_id: null, against: '', diff: NO_CHANGES, refused: [], emitted: null },
};

function scripted() {
  const calls: unknown[][] = [];
  const told =
    <Answer>(name: string, answer: Answer) =>
    async (...asked: readonly unknown[]): Promise<Answer> => {
      calls.push([name, ...asked]);
      return answer;
    };
  const replays: Replays = {
    addVerdicts: told('addVerdicts', undefined),
    start: told('start', STATUS),
    status: async (id) => {
      if (id !== 'r1') throw new RollstreamError('RS_NOT_FOUND', `no replay has the id ${id}`);
      return STATUS;
    },
    report: told('report', REPORT),
    list: told('list', [STATUS]),
    cancel: told('cancel', { ...STATUS, state: 'cancelled' as const }),
    close: told('close', undefined),
  };
  const app = new Hono().onError(errorResponse);
  app.route('/v1', replayRoutes({ replays }));
  const remote = createRemoteReplays(async ({ method = 'GET', path, body }) => {
    const init =
      body === undefined ? {} : { headers: { 'content-type': body.type }, body: Buffer.from(body.bytes).toString() };
    const response = await app.request(path, { method, ...init });
    if (!response.ok) throw errorOfBody(await response.json()) ?? new Error('no error in the body');
    return response;
  });
  return { calls, app, remote };
}

it('say over HTTP what they say in process', async () => {
  const { calls, remote } = scripted();
  const request = readReplayRequest({
    ...{ replay_id: 'r1', runs: ['a/b'], from: { partition: 0, offset: 3 }, where: "category = 'é'", save: true },
    ...{ policy: { text: 'name: x\n', name: 'x.yaml' }, emit: { topic: null, again: true, stale: 'emit' }, label: 'l' },
  });
  expect(await remote.start(request)).toEqual(STATUS);
  expect(await remote.status('r1')).toEqual(STATUS);
  expect(await remote.list()).toEqual([STATUS]);
  expect(await remote.report('r1')).toEqual(REPORT);
  expect(await remote.cancel('r1')).toEqual({ ...STATUS, state: 'cancelled' });
  expect(calls).toEqual([['start', request], ['list'], ['report', 'r1'], ['cancel', 'r1']]);
  await expect(remote.status('other')).rejects.toThrow(expect.objectContaining({ code: 'RS_NOT_FOUND' }));
});

it('take verdicts in pieces, all of them, in order', async () => {
  const { calls, remote } = scripted();
  const verdicts = Array.from({ length: 25_000 }, (_, i) => ({
    ...{ run_id: 'r', epoch: 0, unit: `r/0/r/${i}`, rollout_id: `${i}`, attempt: 0 },
    verdict: {
      ...{ scorer: 's', scorer_version: '2', status: 'scored' as const, rewards: { reward: i }, bound_to: null },
      report_json: null,
    },
  }));
  await remote.addVerdicts('r1', verdicts);
  expect(calls.length).toBeGreaterThan(2);
  expect(calls.flatMap(([, , some]) => some)).toEqual(verdicts);
});

it.each<[string, string, string, RequestInit]>([
  ['replay_id', 'POST', '/v1/replays', { body: '{}' }],
  ['runs', 'POST', '/v1/replays', { body: '{"replay_id": "r1", "runs": "a"}' }],
  ['id', 'GET', '/v1/replays/a%20b', {}],
  ['id', 'POST', '/v1/replays/%2e%2e%2f/cancel', {}],
  ['verdicts', 'POST', '/v1/replays/r1/verdicts', { body: '{}' }],
  [
    'verdicts[0]',
    'POST',
    '/v1/replays/r1/verdicts',
    { body: '7', headers: { 'content-type': 'application/x-ndjson' } },
  ],
])('name %s where it is wrong: %s %s', async (field, method, path, init) => {
  const { app, calls } = scripted();
  const response = await app.request(path, { method, ...init });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'RS_USAGE', field } });
  expect(calls).toEqual([]);
});

it('are described, each of them', () => {
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const routes = scripted().app.routes.map(
    ({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(routes.length).toBe(6);
  expect(routes.filter((route) => !described.includes(route))).toEqual([]);
});
