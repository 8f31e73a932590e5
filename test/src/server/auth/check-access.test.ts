import { describe, expect, it } from 'vitest';
import { RollstreamError } from '../../../../src/errors.ts';
import type { Caller, Role } from '../../../../src/server/auth/caller.ts';
import { digestOf, type KnownTokens } from '../../../../src/server/auth/known-tokens.ts';
import { ROUTE_ACCESS } from '../../../../src/server/auth/route-access.ts';
import type { ErrorBody } from '../../../../src/server/error-response.ts';
import { idleAccess, idleServer } from '../idle-server.ts';
import { scriptedDelivery } from '../scripted-delivery.ts';

/** Tokens are called `role` where they are of all runs, and `role:run` where they are of one. */
const CALLERS: readonly Caller[] = (['producer', 'trainer', 'reader', 'operator'] as const).flatMap((role: Role) => [
  { id: role, name: role, role, runs: null },
  { id: `${role}:mine`, name: role, role, runs: new Set(['mine', 'a/b']) },
]);
const tokens: KnownTokens = {
  areNeeded: () => true,
  find: (digest) => CALLERS.find(({ id }) => digestOf(id).equals(digest)) ?? null,
  sessionKey: () => null,
};

const server = idleServer({ tokens });

async function ask(token: string, route: string, body?: object, app = server) {
  const [method = '', path = ''] = route.split(' ');
  const response = await app.request(`http://127.0.0.1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, host: '127.0.0.1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const error: ErrorBody['error'] | undefined = text.startsWith('{') ? JSON.parse(text).error : undefined;
  return { status: response.status, text, error };
}

const isRefused = async (token: string, route: string, body?: object): Promise<boolean> => {
  const { status, error } = await ask(token, route, body);
  expect(error?.code === 'RS_FORBIDDEN').toBe(status === 403);
  return status === 403;
};

describe('the table', () => {
  // Each route of the table also has its check among them.
  const served = server.routes.filter(({ method }) => method !== 'ALL');
  const isOfPage = ({ path }: { path: string }): boolean => !path.startsWith('/v1/') && !/z$|^\/metrics$/.test(path);

  it('has every route that the server has', () => {
    const routes = served.filter((route) => !isOfPage(route)).map(({ method, path }) => `${method} ${path}`);
    expect(routes.length).toBeGreaterThan(60);
    expect(routes.filter((route) => !Object.hasOwn(ROUTE_ACCESS, route))).toEqual([]);
  });

  it('has no route that is not there', () => {
    const times = (route: string): number => served.filter(({ method, path }) => `${method} ${path}` === route).length;
    const checks = ({ roles }: (typeof ROUTE_ACCESS)[string]): number => (roles === null ? 0 : 1);
    expect(Object.entries(ROUTE_ACCESS).filter(([route, access]) => times(route) <= checks(access))).toEqual([]);
  });
});

/** What each role may, of all runs, by hand: P producer, T trainer, R reader, O operator. */
const MAY: ReadonlyArray<readonly [route: string, roles: string]> = [
  ['POST /v1/steps', 'PO'],
  ['POST /v1/verdicts', 'PO'],
  ['POST /v1/producers/ended', 'PO'],
  ['PUT /v1/blobs/x', 'PO'],
  ['POST /v1/runs/mine/admission', 'PTO'],
  ['POST /v1/leases', 'TO'],
  ['POST /v1/leases/1.a.1/ack', 'TO'],
  ['POST /v1/leases/1.a.1/release', 'TO'],
  ['POST /v1/runs/mine/checkpoints', 'TO'],
  ['POST /v1/runs/mine/rewind', 'TO'],
  ['POST /v1/runs/mine/fork', 'TO'],
  ['POST /v1/versions', 'TO'],
  ['GET /v1/ready', 'TRO'],
  ['GET /v1/runs/mine/delivery', 'TRO'],
  ['GET /v1/blobs/x', 'TRO'],
  ['GET /v1/gates', 'TRO'],
  ['GET /v1/accounting', 'RO'],
  ['GET /v1/rollouts/x', 'RO'],
  ['GET /v1/export', 'RO'],
  ['GET /v1/named', 'RO'],
  ['GET /v1/named/accounting', 'RO'],
  ['POST /v1/query', 'RO'],
  ['GET /metrics', 'RO'],
  ['GET /v1/replays', 'RO'],
  ['GET /v1/runs', 'PTRO'],
  ['GET /v1/status', 'PTRO'],
  ['GET /v1/schemas/1', 'PTRO'],
  ['POST /v1/runs/mine/gate', 'O'],
  ['POST /v1/policies', 'O'],
  ['POST /v1/replays', 'O'],
  ['POST /v1/import/events', 'O'],
  ['POST /v1/verifier-results', 'O'],
  ['POST /v1/runs', 'O'],
  ['DELETE /v1/runs/mine', 'O'],
  ['PUT /v1/runs/mine/quota', 'O'],
];

it.each(MAY)('%s is for %s', async (route, roles) => {
  const body = route.startsWith('GET') ? undefined : {};
  for (const [letter, role] of Object.entries({ P: 'producer', T: 'trainer', R: 'reader', O: 'operator' })) {
    expect(await isRefused(role, route, body), role).toBe(!roles.includes(letter));
  }
});

describe('a token of one run', () => {
  it.each([
    ['operator', 'POST /v1/runs/RUN/gate', {}],
    ['operator', 'DELETE /v1/runs/RUN', {}],
    ['trainer', 'POST /v1/runs/RUN/checkpoints', {}],
    ['trainer', 'POST /v1/runs/RUN/rewind', {}],
    ['producer', 'POST /v1/runs/RUN/admission', {}],
    ['reader', 'GET /v1/runs/RUN/delivery', undefined],
    ['reader', 'HEAD /v1/runs/RUN/delivery', undefined],
    ['reader', 'GET /v1/accounting?run=RUN', undefined],
    ['reader', 'GET /v1/rollouts/x?run=RUN', undefined],
    ['reader', 'GET /v1/export?run=RUN', undefined],
    ['reader', 'GET /v1/tasks?run=RUN', undefined],
    ['reader', 'GET /v1/named/accounting?run=RUN', undefined],
    ['reader', 'GET /v1/gates?run=RUN', undefined],
    ['trainer', 'GET /v1/ready?run=RUN', undefined],
    ['trainer', 'POST /v1/leases', { run: 'RUN' }],
    ['trainer', 'POST /v1/versions', { run: 'RUN' }],
  ])('as %s uses %s of its run alone', async (role, route, body) => {
    const of = (run: string) => {
      const named = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replace('RUN', run));
      return ask(`${role}:mine`, route.replace('RUN', encodeURIComponent(run)), named);
    };
    expect((await of('mine')).status).not.toBe(403);
    expect((await of('a/b')).status).not.toBe(403);
    for (const run of ['other', 'a', 'Mine', 'mine ', 'mine/', '%6Dine', '']) {
      const { status, error } = await of(run);
      // A path without its run is another path.
      if (run === '' && route.includes('/runs/RUN')) continue;
      expect(status, run).toBe(403);
      if (route.startsWith('HEAD')) continue;
      expect(error).toMatchObject({ code: 'RS_FORBIDDEN', message: expect.stringContaining(`${role} of mine, a/b`) });
      if (run !== '') expect(error).toMatchObject({ run, field: 'run' });
    }
  });

  it.each([
    ['reader', 'GET /v1/accounting'],
    ['reader', 'GET /v1/rollouts/x'],
    ['reader', 'GET /v1/named/accounting'],
    ['trainer', 'GET /v1/ready?group=g'],
    ['trainer', 'POST /v1/leases'],
    ['trainer', 'POST /v1/versions'],
  ])('as %s has to name it for %s', async (role, route) => {
    const body = route.startsWith('GET') ? undefined : {};
    const { error } = await ask(`${role}:mine`, route, body);
    expect(error).toMatchObject({ code: 'RS_FORBIDDEN', message: expect.stringContaining('one of its runs in run') });
    expect(await isRefused(role, route, body)).toBe(false);
  });

  it.each([
    ['reader', 'POST /v1/query'],
    ['reader', 'GET /metrics'],
    ['reader', 'GET /v1/replays'],
    ['operator', 'POST /v1/policies'],
    ['operator', 'POST /v1/replays'],
    ['operator', 'POST /v1/import/events'],
    ['operator', 'POST /v1/verifier-results/find'],
    ['operator', 'PUT /v1/runs/mine/quota'],
    ['operator', 'POST /v1/runs'],
  ])('as %s may not use %s, which spans runs', async (role, route) => {
    expect(await isRefused(`${role}:mine`, route, route.startsWith('GET') ? undefined : { run: 'mine' })).toBe(true);
  });

  it('forks its run only into a run of its own', async () => {
    const fork = (run: unknown) => ask('trainer:mine', 'POST /v1/runs/mine/fork', { run, step: 0 });
    expect((await fork('a/b')).status).not.toBe(403);
    expect((await fork('other')).error).toMatchObject({ code: 'RS_FORBIDDEN', run: 'other' });
    expect((await fork(undefined)).status).toBe(403);
    expect((await fork(['a/b'])).status).toBe(403);
  });

  it('finds a lease of another run no more than one that nobody has', async () => {
    const end = (run: string | null, what: string) => {
      const { delivery } = scriptedDelivery({ runOf: async () => run });
      return ask('trainer:mine', `POST /v1/leases/1.a.1/${what}`, { step: 1 }, idleServer({ tokens, delivery }));
    };
    expect((await end('mine', 'ack')).status).toBe(200);
    for (const what of ['ack', 'release', 'reject', 'extend']) {
      const [foreign, unknown] = [await end('other', what), await end(null, what)];
      expect(foreign.error?.code).toBe('RS_LEASE_LOST');
      expect(foreign).toEqual(unknown);
    }
  });

  it('is not told of a run whose name comes near, as people are', async () => {
    const near = async (): Promise<never> => {
      throw new RollstreamError('RS_NOT_FOUND', 'no run is named a/b (did you mean a/bc?)', {
        facts: { field: 'run' },
      });
    };
    const runs = {
      ...{ list: near, create: near, archive: near, unarchive: near, setQuota: near, remove: near },
      close: async () => undefined,
    };
    const app = idleServer({ tokens, runs, access: { ...idleAccess(), setGate: near } });
    const routes = ['POST /v1/runs/a%2Fb/archive', 'POST /v1/runs/a%2Fb/unarchive', 'DELETE /v1/runs/a%2Fb'];
    for (const route of [...routes, 'POST /v1/runs/a%2Fb/gate']) {
      const body = route.endsWith('gate') ? { release: true } : route.startsWith('DELETE') ? { confirm: 'a/b' } : {};
      const mine = await ask('operator:mine', route, body, app);
      expect(mine, route).toMatchObject({
        status: 404,
        error: { code: 'RS_NOT_FOUND', message: 'no run is named a/b', field: 'run' },
      });
      expect((await ask('operator', route, body, app)).error?.message, route).toContain('a/bc');
    }
  });

  it('sees its own runs in the lists, and no other', async () => {
    const app = idleServer({ tokens, access: idleAccess(['mine', 'other']) });
    const seen = async (token: string): Promise<string[]> => {
      const { runs }: { runs: { run_id: string }[] } = JSON.parse(
        (await ask(token, 'GET /v1/runs', undefined, app)).text,
      );
      return runs.map(({ run_id }) => run_id);
    };
    expect(await seen('reader:mine')).toEqual(['mine']);
    expect(await seen('reader')).toEqual(['mine', 'other']);
  });
});

it('a path that is no route is answered as such', async () => {
  expect((await ask('reader:mine', 'GET /v1/nowhere')).error?.code).toBe('RS_NOT_FOUND');
});

it('a body with its run twice is judged by the one that the route takes', async () => {
  const send = (text: string) =>
    server.request('http://127.0.0.1/v1/versions', {
      ...{ method: 'POST', body: text, headers: { authorization: 'Bearer trainer:mine', host: '127.0.0.1' } },
    });
  expect((await send('{"run":"mine","run":"other"}')).status).toBe(403);
  expect((await send('{"run":"other","run":"mine"}')).status).toBe(400);
});
