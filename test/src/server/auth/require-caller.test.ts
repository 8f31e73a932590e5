import { Hono } from 'hono';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createForwardRequest } from '../../../../src/delivery/forward/forward-request.ts';
import type { Caller } from '../../../../src/server/auth/caller.ts';
import { createCallers } from '../../../../src/server/auth/callers.ts';
import { checkAccess } from '../../../../src/server/auth/check-access.ts';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { digestOf, type KnownTokens } from '../../../../src/server/auth/known-tokens.ts';
import { callerOf, requireCaller, type SenderEnv } from '../../../../src/server/auth/require-caller.ts';
import { createSealedSessions } from '../../../../src/server/auth/sealed-session.ts';
import { createSessions } from '../../../../src/server/auth/session-cookie.ts';
import { errorResponse } from '../../../../src/server/error-response.ts';
import { type Listener, listen } from '../../../../src/server/listen.ts';
import { createWhileWanted } from '../../../../src/server/while-wanted.ts';

const TOKEN = 'a-token-of-some-length';
const SCOPED = 'rs_of-one-run';
const TRAINER: Caller = { id: 't', name: 't', role: 'trainer', runs: new Set(['mine']) };
/** As two servers have them that share a token file. */
const tokens: KnownTokens = {
  areNeeded: () => true,
  find: (digest) => (digest.equals(digestOf(SCOPED)) ? TRAINER : null),
  sessionKey: () => Buffer.alloc(32, 1),
};
const callers = () => createCallers(TOKEN, { tokens, failures: createFailedAttempts(() => 0), now: Date.now });
const guarded = () => {
  const app = new Hono<SenderEnv>();
  const open = new Set(['/open']);
  app.use(requireCaller(callers(), { open })).onError((error) => errorResponse(error));
  checkAccess(app, open);
  return app;
};

let owner: Listener;
let other: Listener;
beforeAll(async () => {
  const grants = guarded().post('/v1/leases', async (c) =>
    c.json({ granted: true, to: callerOf(c).id, asked: await c.req.text() }),
  );
  owner = await listen('127.0.0.1', 0, (request, sender) => grants.fetch(request, sender));
  const forward = createForwardRequest({
    isOwner: () => false,
    ownerUrl: async () => owner.url,
    ownUrl: 'http://127.0.0.1:1',
    log: pino({ level: 'silent' }),
  });
  const whileWanted = createWhileWanted(new AbortController().signal);
  const forwards = guarded()
    .use(async (c, next) => (await forward(c.req.raw, whileWanted, () => c.req.arrayBuffer())) ?? next())
    .get('/v1/who', (c) => c.json({ address: c.env.address }));
  other = await listen('127.0.0.1', 0, (request, sender) => forwards.fetch(request, sender));
});
afterAll(async () => {
  await other.close(0);
  await owner.close(0);
});

it('a session of one server is good for what it forwards to the one that grants', async () => {
  const cookie = `rollstream_session_${new URL(other.url).port}=${createSessions(TOKEN, Date.now).issue()}`;
  const asked = (headers: Record<string, string>) =>
    fetch(`${other.url}/v1/leases`, { method: 'POST', body: '{}', headers });
  expect(await (await asked({ cookie, origin: other.url })).json()).toMatchObject({ granted: true, to: 'http.token' });
  expect((await asked({ cookie })).status).toBe(401);
  expect((await asked({})).status).toBe(401);
});

it('what is forwarded has the rights of whoever asked, and no more: those of the token, or of the one that a session stands for', async () => {
  const value = createSealedSessions(Buffer.alloc(32, 1), Date.now).issue(SCOPED);
  const cookie = `rollstream_session_${new URL(other.url).port}=${value}`;
  const ways: Record<string, string>[] = [{ authorization: `Bearer ${SCOPED}` }, { cookie, origin: other.url }];
  for (const headers of ways) {
    const asked = (body: string) => fetch(`${other.url}/v1/leases`, { method: 'POST', body, headers });
    // Its body was read here, to see the run; it arrives as it came.
    const body = '{ "run": "mine", "n": 1.0 }';
    expect(await (await asked(body)).json()).toEqual({ granted: true, to: 't', asked: body });
    expect((await asked('{"run":"other"}')).status).toBe(403);
  }
});

it('who asks is known by the other end of the connection, whatever a header says', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '192.0.2.9' };
  expect(await (await fetch(`${other.url}/v1/who`, { headers })).json()).toEqual({ address: '127.0.0.1' });
});

it('what is open needs nothing', async () => {
  const app = guarded().get('/open', (c) => c.text('yes'));
  expect(await (await app.request('/open')).text()).toBe('yes');
  expect((await app.request('/else')).status).toBe(401);
});
