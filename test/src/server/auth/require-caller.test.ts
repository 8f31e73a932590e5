import { Hono } from 'hono';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createForwardRequest } from '../../../../src/delivery/forward/forward-request.ts';
import { createCallers } from '../../../../src/server/auth/callers.ts';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';
import { NO_TOKENS } from '../../../../src/server/auth/known-tokens.ts';
import { requireCaller, type SenderEnv } from '../../../../src/server/auth/require-caller.ts';
import { createSessions } from '../../../../src/server/auth/session-cookie.ts';
import { errorResponse } from '../../../../src/server/error-response.ts';
import { type Listener, listen } from '../../../../src/server/listen.ts';
import { createWhileWanted } from '../../../../src/server/while-wanted.ts';

const TOKEN = 'a-token-of-some-length';
const callers = () =>
  createCallers(TOKEN, { tokens: NO_TOKENS, failures: createFailedAttempts(() => 0), now: Date.now });
const guarded = () =>
  new Hono<SenderEnv>()
    .use(requireCaller(callers(), { open: new Set(['/open']) }))
    .onError((error) => errorResponse(error));

let owner: Listener;
let other: Listener;
beforeAll(async () => {
  const grants = guarded().post('/v1/leases', (c) => c.json({ granted: true }));
  owner = await listen('127.0.0.1', 0, (request, sender) => grants.fetch(request, sender));
  const forward = createForwardRequest({
    isOwner: () => false,
    ownerUrl: async () => owner.url,
    ownUrl: 'http://127.0.0.1:1',
    log: pino({ level: 'silent' }),
  });
  const whileWanted = createWhileWanted(new AbortController().signal);
  const forwards = guarded()
    .use(async (c, next) => (await forward(c.req.raw, whileWanted)) ?? next())
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
  expect(await (await asked({ cookie, origin: other.url })).json()).toEqual({ granted: true });
  expect((await asked({ cookie })).status).toBe(401);
  expect((await asked({})).status).toBe(401);
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
