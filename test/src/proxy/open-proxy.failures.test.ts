import { once } from 'node:events';
import { renameSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask, type ScriptedUpstream, startUpstream } from './scripted-upstream.ts';
import { filesIn, type StartedProxy, startProxy } from './started-proxy.ts';

const CHAT = '/v1/chat/completions';
const POST = { method: 'POST', body: '{}' };

let upstream: ScriptedUpstream;
const open: StartedProxy[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((proxy) => proxy.close()));
});
afterAll(() => upstream.close());

async function start(...[url, options]: Partial<Parameters<typeof startProxy>>): Promise<StartedProxy> {
  const proxy = await startProxy(url ?? upstream.url, options);
  open.push(proxy);
  return proxy;
}

const error = (body: string) => JSON.parse(body).error;

/** Answers on a raw connection, whatever comes. */
async function startRaw(serve: (socket: net.Socket) => void): Promise<{ url: URL; close(): void }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port }: AddressInfo = Object(server.address());
  return { url: new URL(`http://127.0.0.1:${port}`), close: () => server.close() };
}

/** What a server says to these bytes, until it closes. */
async function say(url: string, bytes: string): Promise<string> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return said;
}

describe('an upstream that fails', () => {
  it('by not being there is 502 in the proxy’s own words, and a fact of the call', async () => {
    const gone = await startUpstream();
    await gone.close();
    const proxy = await start(gone.url);
    const { status, body, rawHeaders } = await ask(`${proxy.url}${CHAT}`, POST);
    expect([status, error(body).code, error(body).field]).toEqual([502, 'RS_UPSTREAM_UNREACHABLE', 'upstream']);
    expect(rawHeaders).toContain('retry-after');
    const call = await proxy.recording.next();
    expect(call).toMatchObject({ answer: null, end: { how: 'upstream_unreachable' } });
    expect(call.end?.detail).toContain('ECONNREFUSED');
    expect((await ask(`${proxy.url}/v1/models`)).status).toBe(502);
  });

  it('by closing without an answer, or with one that is no HTTP, is 502 too', async () => {
    for (const [bytes, why] of [
      [null, /closed the connection without an answer/],
      ['BAH\r\n\r\n', /no HTTP/],
      ['HTTP/1.1 099 X\r\ncontent-length: 2\r\n\r\nok', /no HTTP \(status 99\)/],
      ['HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n', /no HTTP \(status 0\)/],
      ['HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n', /no HTTP \(status 101\)/],
      [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_100_000)}\r\n\r\n`, /head of its answer is too large/],
    ] as const) {
      const raw = await startRaw((socket) =>
        socket.once('data', () => (bytes === null ? socket.end() : socket.end(bytes))),
      );
      const proxy = await start(raw.url);
      const { status, body } = await ask(`${proxy.url}${CHAT}`, POST);
      expect([status, error(body).message]).toEqual([502, expect.stringMatching(why)]);
      expect((await proxy.recording.next()).end?.how).toBe('upstream_unreachable');
      expect((await ask(`${proxy.url}/v1/models`)).status).toBe(502);
      raw.close();
    }
  });

  it('by a head that may not be written again is told without what is wrong in it, and no other call is lost', async () => {
    const heads = [
      ['POST', '200 O\u0001K\r\ncontent-length: 0', 200, ''],
      ['POST', '204 None\r\ntrailer: x', 204, 'None'],
      ['GET', '304 Same\r\ntrailer: x', 304, 'Same'],
      ['HEAD', '200 OK\r\ntrailer: x\r\ntransfer-encoding: chunked', 200, 'OK'],
      ['GET', '200 OK\r\ncontent-length: 0', 200, 'OK'],
    ] as const;
    for (const [method, head, wanted, said] of heads) {
      const raw = await startRaw((socket) => socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\n\r\nmore`)));
      const proxy = await start(raw.url);
      const { status, reason, rawHeaders } = await ask(`${proxy.url}${CHAT}`, { method });
      expect([status, reason, rawHeaders.includes('trailer')]).toEqual([wanted, said, false]);
      raw.close();
    }
  });

  it('by no way there at all, as where no port is left, is 502 like any other', async () => {
    // The system refuses this address before a connection is begun.
    const proxy = await start(new URL('http://255.255.255.255:9'));
    expect((await ask(`${proxy.url}${CHAT}`, POST)).status).toBe(502);
    expect((await ask(`${proxy.url}/health`)).status).toBe(502);
  });

  it('by closing in the middle cuts the client where it was cut, and what was seen is recorded', async () => {
    const raw = await startRaw((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n'),
      ),
    );
    const proxy = await start(raw.url);
    const { body, error: cut } = await ask(`${proxy.url}${CHAT}`, POST);
    expect([body, cut]).toEqual(['data: 1\n\n', 'aborted']);
    const call = await proxy.recording.next();
    expect([call.end?.how, call.pieces.map(({ bytes }) => bytes).join('')]).toEqual(['upstream_cut', 'data: 1\n\n']);
    raw.close();
  });

  it('by closing in the middle of a body that is cut cuts the client too', async () => {
    const raw = await startRaw((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"a'),
      ),
    );
    const proxy = await start(raw.url, { engine: 'vllm' });
    expect(await ask(`${proxy.url}${CHAT}`, POST)).toMatchObject({ status: 200, error: 'aborted' });
    expect((await proxy.recording.next()).end?.how).toBe('upstream_cut');
    raw.close();
  });

  it('by saying nothing is given up: 504, or a cut where it had begun', async () => {
    const proxy = await start(undefined, { limits: { upstreamSilenceMs: 50 } });
    upstream.answer = () => {};
    const { status, body } = await ask(`${proxy.url}${CHAT}`, POST);
    expect([status, error(body).code]).toEqual([504, 'RS_UPSTREAM_TIMEOUT']);
    upstream.answer = (res) => res.writeHead(200).write('x');
    expect(await ask(`${proxy.url}${CHAT}`, POST)).toMatchObject({ body: 'x', error: 'aborted' });
    expect(proxy.recording.calls.map(({ end }) => end?.how)).toEqual(['upstream_timeout', 'upstream_timeout']);
    expect((await ask(`${proxy.url}/health`, POST)).error).toBe('aborted');
  });

  it('by answering in another type, or with events that are none, is passed on as it is', async () => {
    const proxy = await start(undefined, { engine: 'vllm' });
    for (const [type, body] of [
      ['text/html', '<html>{"choices":[{"token_ids":[1]}]}'],
      ['text/event-stream', 'nonsense {"choices":[{"token_ids":[1]}]}\n\ndata: {"choices":[{"tok'],
      ['application/json', '{"choices":[{"token_ids":[1]}]'],
    ] as const) {
      upstream.answer = (res) => res.writeHead(200, { 'content-type': type }).end(body);
      expect((await ask(`${proxy.url}${CHAT}`, POST)).body).toBe(body);
    }
  });

  it('by closing connections that are idle costs no call', async () => {
    const quick = await startRaw((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')),
    );
    const proxy = await start(quick.url);
    const agent = new http.Agent({ keepAlive: true });
    for (let n = 0; n < 50; n++) {
      expect((await ask(`${proxy.url}${CHAT}`, { ...POST, agent })).body).toBe('ok');
    }
    agent.destroy();
    quick.close();
  });
});

describe('a client that leaves', () => {
  it('ends the call at the upstream, and what it saw is recorded', async () => {
    const proxy = await start();
    const closed = new Promise<void>((resolve) => {
      upstream.answer = (res) => {
        res.on('close', resolve);
        res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      };
    });
    await ask(`${proxy.url}${CHAT}`, { ...POST, leaveAfter: 1 });
    await closed;
    const call = await proxy.recording.next();
    expect([call.end?.how, call.pieces.map(({ bytes }) => bytes).join('')]).toEqual(['client_gone', 'data: 1\n\n']);
    const ended = new Promise<void>((resolve) => {
      upstream.answer = (res) => {
        res.on('close', resolve);
        res.write('x');
      };
    });
    await ask(`${proxy.url}/v1/models`, { leaveAfter: 1 });
    await ended;
  });

  it('and one that reads slowly holds the upstream back', async () => {
    const proxy = await start();
    const block = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    upstream.answer = (res, { url }) => {
      if (url !== CHAT) return res.end();
      const more = (): void => {
        while (written < 96 && ++written && res.write(block)) {}
        if (written < 96) res.once('drain', more);
        else res.end();
      };
      return more();
    };
    const request = http.request(`${proxy.url}${CHAT}`, { method: 'POST', agent: false });
    request.end('{}');
    const [res]: http.IncomingMessage[] = await once(request, 'response');
    // It is held back once nothing more is written while others are served.
    for (let before = -1; before !== written; ) {
      before = written;
      for (let n = 0; n < 10; n++) await ask(`${proxy.url}/health`);
    }
    expect(written).toBeLessThan(64);
    let read = 0;
    for await (const chunk of res ?? []) read += chunk.length;
    expect(read).toBe(96 * block.length);
  });
});

describe('what cannot be taken', () => {
  it('is answered 413, 503, 431, 400 or 401, says why, and reaches no upstream', async () => {
    upstream.received.length = 0;
    upstream.answer = () => {};
    const proxy = await start(undefined, {
      token: 'a-token-of-clients',
      limits: { bodyBytes: 10, callsInFlight: 1, headerBytes: 2_000 },
    });
    const headers = ['x-rollstream-token', 'a-token-of-clients'];
    const post = (body: string, more: readonly string[] = headers) =>
      ask(`${proxy.url}${CHAT}`, { method: 'POST', body, headers: more });
    expect(error((await post('x'.repeat(11))).body)).toMatchObject({ code: 'RS_TOO_LARGE', field: 'body' });
    expect(await post('{}', [])).toMatchObject({ status: 401 });
    expect(await post('{}', ['x-rollstream-token', 'another-token-of-c'])).toMatchObject({ status: 401 });
    expect(error((await post('{}', [...headers, 'x-rollstream-attempt', 'x'])).body).field).toBe(
      'x-rollstream-attempt',
    );
    expect(await ask(`${proxy.url}/rollstream/healthz`)).toMatchObject({ status: 200 });
    expect(await post('{}', [...headers, 'x', 'y'.repeat(3_000)])).toMatchObject({ status: 431 });
    expect(upstream.received).toEqual([]);
    const first = ask(`${proxy.url}/k/a-token-of-clients${CHAT}`, POST).catch(() => null);
    await expect.poll(() => upstream.received.length).toBe(1);
    const busy = await post('{}');
    expect([busy.status, error(busy.body).code, busy.rawHeaders.includes('retry-after')]).toEqual([
      503,
      'RS_BUSY',
      true,
    ]);
    await proxy.close();
    open.pop();
    await first;
  });

  it('on the wire is told so: a newline in a name, no HTTP at all', async () => {
    const proxy = await start();
    const said = await say(
      proxy.url,
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\nx-rollstream-run: a\nb\r\ncontent-length: 2\r\n\r\n{}`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":"RS_USAGE"[\s\S]*"field":"request"/);
    expect(await say(proxy.url, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(proxy.recording.calls).toEqual([]);
  });
});

describe('a disk that refuses', () => {
  it('is in nobody’s way: the call goes on, is counted and said', async () => {
    const proxy = await start();
    upstream.answer = (res) => res.end('fine');
    renameSync(proxy.callsFolder, `${proxy.callsFolder}-gone`);
    for (const _ of [1, 2]) expect((await ask(`${proxy.url}${CHAT}`, POST)).body).toBe('fine');
    renameSync(`${proxy.callsFolder}-gone`, proxy.callsFolder);
    expect((await ask(`${proxy.url}${CHAT}`, POST)).body).toBe('fine');
    expect(proxy.recording.calls).toHaveLength(1);
    const status = JSON.parse((await ask(`${proxy.url}/rollstream/status`)).body);
    expect(status.counts).toMatchObject({ calls: 3, unrecorded: 2 });
    expect(status.last_problem).toContain('ENOENT');
    // Once, not once a call.
    expect(proxy.log).toHaveLength(1);
  });
});

describe('the end of a proxy', () => {
  it('ends what has not ended, and says so of it', async () => {
    const proxy = await start();
    upstream.answer = (res) => res.writeHead(200).write('x');
    const asked = ask(`${proxy.url}${CHAT}`, POST);
    await expect.poll(() => filesIn(proxy).length).toBe(1);
    await proxy.close();
    open.pop();
    expect((await asked).error).toBe('aborted');
    expect(proxy.recording.calls.map(({ end }) => end?.how)).toEqual(['proxy_stopped']);
  });
});
