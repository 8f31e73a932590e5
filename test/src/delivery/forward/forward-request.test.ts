import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createForwardRequest } from '../../../../src/delivery/forward/forward-request.ts';
import { type Listener, listen } from '../../../../src/server/listen.ts';
import type { WhileWanted } from '../../../../src/server/while-wanted.ts';

/** Whoever grants, as another server sees it. */
let owner: Listener;
let asked: Array<{ readonly line: string; readonly headers: Headers; readonly body: string }> = [];
let answer: (request: Request) => Response;
beforeAll(async () => {
  owner = await listen('127.0.0.1', 0, async (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push({
      line: `${request.method} ${pathname}${search}`,
      headers: request.headers,
      body: await request.text(),
    });
    return answer(request);
  });
});
afterAll(() => owner.close(0));
beforeEach(() => {
  asked = [];
  answer = () => new Response('{"lease":null}', { status: 200, headers: { 'content-type': 'application/json' } });
});

const log = pino({ level: 'silent' });
const whileWanted: WhileWanted = (signal, ask) => ask(signal);
function forwardTo(url: string | null, isOwner = false): (request: Request) => Promise<Response | null> {
  const deps = { isOwner: () => isOwner, ownerUrl: async () => url, ownUrl: 'http://own:1', log };
  const forward = createForwardRequest(deps);
  return (request) => forward(request, whileWanted);
}
const post = (path: string, headers: Record<string, string> = {}) =>
  new Request(`http://own:1${path}`, { method: 'POST', body: '{"run":"r"}', headers });

it('a request goes to whoever grants as it came, its token with it, and so does the answer come back', async () => {
  answer = () => new Response(Buffer.from([0, 1, 255]), { status: 409, headers: { 'content-type': 'x/y' } });
  const headers = { authorization: 'Bearer t', accept: 'x/y', origin: 'http://own:1' };
  const response = await forwardTo(owner.url)(post('/v1/leases/1.a.2/ack?x=1', headers));
  expect([response?.status, response?.headers.get('content-type')]).toEqual([409, 'x/y']);
  expect([...new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer(0))]).toEqual([0, 1, 255]);
  expect(asked).toMatchObject([{ line: 'POST /v1/leases/1.a.2/ack?x=1', body: '{"run":"r"}' }]);
  const sent = asked[0]?.headers;
  // A page was let in here; there it would be of another origin.
  expect(['authorization', 'accept', 'origin'].map((name) => sent?.get(name))).toEqual(['Bearer t', 'x/y', null]);
});

it.each([
  ['POST', '/v1/leases', true],
  ['POST', '/v1/versions', true],
  ['POST', '/v1/runs/r%2F1/rewind', true],
  ['POST', '/v1/runs/r/checkpoints', true],
  ['POST', '/v1/runs/r/fork', true],
  ['GET', '/v1/runs/r/delivery', true],
  ['GET', '/v1/accounting', false],
  ['POST', '/v1/runs/r/admission', false],
  ['GET', '/healthz', false],
])('%s %s is for whoever grants: %s', async (method, path, isForwarded) => {
  const body = method === 'GET' ? null : '{}';
  const response = await forwardTo(owner.url)(new Request(`http://own:1${path}`, { method, body }));
  expect([response !== null, asked.length]).toEqual([isForwarded, isForwarded ? 1 : 0]);
});

it('whoever grants answers itself', async () => {
  expect(await forwardTo(owner.url, true)(post('/v1/leases'))).toBeNull();
});

it.each([
  ['nobody has claimed it', null],
  ['the claim is from before a restart of this one', 'http://own:1'],
  ['whoever had it is gone', 'http://127.0.0.1:1'],
])('while %s, the same is asked again in a moment', async (_, url) => {
  await expect(forwardTo(url)(post('/v1/leases'))).rejects.toMatchObject({ code: 'RS_STARTING', retriable: true });
});

it('what was forwarded is not forwarded once more', async () => {
  answer = () => new Response();
  await forwardTo(owner.url)(post('/v1/leases'));
  const again = new Request('http://own:1/v1/leases', {
    method: 'POST',
    body: '{}',
    headers: asked[0]?.headers ?? new Headers(),
  });
  await expect(forwardTo(owner.url)(again)).rejects.toMatchObject({ code: 'RS_STARTING' });
  expect(asked.length).toBe(1);
});
