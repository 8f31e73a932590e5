import http from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answering, ask, type ScriptedUpstream, startUpstream } from './scripted-upstream.ts';
import { filesIn, type StartedProxy, startProxy } from './started-proxy.ts';

const CHAT = '/v1/chat/completions';
const JSON_TYPE = ['Content-Type', 'application/json'];

let upstream: ScriptedUpstream;
let plain: StartedProxy;
let vllm: StartedProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  plain = await startProxy(upstream.url);
  vllm = await startProxy(upstream.url, { engine: 'vllm' });
});
beforeEach(() => {
  upstream.received.length = 0;
});
afterAll(async () => {
  await Promise.all([plain.close(), vllm.close()]);
  await upstream.close();
});

const events: Answering = (res) => {
  res.writeHead(200, 'Fine', [
    'Content-Type',
    'text/event-stream',
    'X-Request-ID',
    'r1',
    'x-request-id',
    'r2',
    'Date',
    'never',
  ]);
  for (const chunk of ['data: {"a":"é', '"}\n\nda', 'ta: [DONE]\n\n']) res.write(chunk);
  res.end();
};

describe('a call through the proxy', () => {
  it('reaches the upstream as the client sent it: path, case and order of headers, body', async () => {
    upstream.answer = (res) => res.end('{}');
    const body = '{"messages": [{"content":"\\u00e9 é"}]}';
    await ask(`${plain.url}/r/run/a%2Fb${CHAT}?x=%20`, {
      method: 'POST',
      headers: [
        'X-B',
        '1',
        'x-a',
        '2',
        'X-B',
        '3',
        'Authorization',
        'Bearer k',
        'x-rollstream-task',
        't',
        ...JSON_TYPE,
      ],
      body,
    });
    const { host } = upstream.url;
    expect(upstream.received).toEqual([
      {
        ...{ method: 'POST', url: `${CHAT}?x=%20`, body },
        rawHeaders: [
          ...['Host', host, 'X-B', '1', 'x-a', '2', 'X-B', '3', 'Authorization', 'Bearer k', ...JSON_TYPE],
          ...['Content-Length', String(Buffer.byteLength(body)), 'Connection', 'keep-alive'],
        ],
      },
    ]);
  });

  it('is answered as without it: status, reason, headers, body, and nothing more', async () => {
    for (const answer of [
      events,
      (res) =>
        res
          .writeHead(418, 'Short And Stout', ['Content-Length', '3', 'SET-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
          .end('no\n'),
      (res) => res.writeHead(200, ['content-type', 'text/plain']).end('x'),
      (res) => res.writeHead(204, '').end(),
    ] satisfies Answering[]) {
      upstream.answer = answer;
      const options = { method: 'POST', headers: JSON_TYPE, body: '{"stream":true}' };
      const direct = await ask(`${upstream.url.origin}${CHAT}`, options);
      const proxied = await ask(`${plain.url}${CHAT}`, options);
      const known = (headers: readonly string[]) => {
        const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
        const ofConnection = ['connection', 'keep-alive', 'transfer-encoding'];
        return pairs
          .filter(([name]) => !ofConnection.includes(name?.toLowerCase() ?? ''))
          .filter(([name]) => name !== 'Date');
      };
      expect({ ...proxied, rawHeaders: known(proxied.rawHeaders), chunks: [] }).toEqual({
        ...direct,
        ...{ rawHeaders: known(direct.rawHeaders), chunks: [] },
      });
    }
  });

  it('passes trailers on', async () => {
    upstream.answer = (res) => {
      res.writeHead(200, { trailer: 'x-sum' });
      res.write('a');
      res.addTrailers({ 'x-sum': '7' });
      res.end();
    };
    expect((await ask(`${plain.url}${CHAT}`, { method: 'POST', body: '{}' })).trailers).toEqual(['x-sum', '7']);
  });

  it('gets each chunk when it comes, and it stands in the file before', async () => {
    let onDisk = '';
    let go = (): void => {};
    upstream.answer = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
      go = () => res.end('data: 2\n\n');
    };
    const body = await new Promise<string>((resolve) => {
      const request = http.request(`${plain.url}${CHAT}`, { method: 'POST', agent: false }, (res) => {
        let seen = '';
        res.on('data', (chunk) => {
          seen += chunk;
          if (seen === 'data: 1\n\n') {
            onDisk = filesIn(plain).join();
            go();
          }
        });
        res.on('end', () => resolve(seen));
      });
      request.end('{}');
    });
    expect(body).toBe('data: 1\n\ndata: 2\n\n');
    expect(onDisk).toMatch(/\.call/);
  });

  it('is recorded with what named it, what was sent, and every byte of the answer', async () => {
    const { recording } = plain;
    while (recording.calls.length > 0) recording.calls.pop();
    upstream.answer = events;
    await ask(`${plain.url}/r/run/roll@2${CHAT}`, {
      method: 'POST',
      headers: ['X-Stainless-Retry-Count', '1', 'Authorization', 'Bearer secret', 'x-rollstream-task', 't'],
      body: '{"stream":true}',
    });
    const [call] = recording.calls;
    expect(call?.head).toMatchObject({
      ...{
        path: CHAT,
        engine: 'openai',
        upstream: upstream.url.host,
        headers: { 'x-stainless-retry-count': '1' },
        asked: [],
      },
      named: { run: 'run', rollout: 'roll', attempt: 2, task: 't', group: null },
    });
    expect(call?.request.toString()).toBe('{"stream":true}');
    expect(call?.answer).toMatchObject({ status: 200, headers: { 'x-request-id': 'r1, r2', date: 'never' } });
    expect(call?.pieces.map(({ bytes }) => bytes).join('')).toBe('data: {"a":"é"}\n\ndata: [DONE]\n\n');
    expect(call?.end).toMatchObject({ how: 'complete' });
    expect(JSON.stringify(call)).not.toContain('secret');
  });

  it('is one of many on the same connection', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    upstream.answer = (res, { body }) => res.end(body);
    for (const n of [1, 2, 3]) {
      expect((await ask(`${plain.url}${CHAT}`, { method: 'POST', body: `{"n":${n}}`, agent })).body).toBe(`{"n":${n}}`);
    }
    agent.destroy();
  });

  it('is not recorded where it is no call of a model, and goes on all the same, either way', async () => {
    const before = plain.recording.calls.length;
    upstream.answer = (res, { method, url, body }) => res.end(`${method} ${url} ${body}`);
    expect((await ask(`${plain.url}/r/a/b/v1/models`)).body).toBe('GET /v1/models ');
    const chunked = await ask(`${plain.url}/v1/embeddings`, {
      method: 'POST',
      headers: ['Transfer-Encoding', 'chunked'],
      body: '',
    });
    expect(chunked.body).toBe('POST /v1/embeddings ');
    expect((await ask(`${plain.url}/v1/files`, { method: 'PUT', body: 'x'.repeat(100_000) })).body).toHaveLength(
      100_000 + 14,
    );
    expect((await ask(`${plain.url}/health`, { method: 'HEAD' })).status).toBe(200);
    expect(plain.recording.calls).toHaveLength(before);
  });
});

describe('token ids that the client did not ask for', () => {
  const answer = (ids: number[] | null) =>
    JSON.stringify({
      prompt_token_ids: ids && [1],
      choices: [{ index: 0, logprobs: ids && { content: [] }, token_ids: ids }],
    });

  const answering: Answering = (res, { body }) => {
    const text = answer(body.includes('"return_token_ids":true') ? [2, 3] : null);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
  };

  it('are asked for, recorded, and taken out again', async () => {
    upstream.answer = answering;
    const { body, rawHeaders } = await ask(`${vllm.url}${CHAT}`, { method: 'POST', body: '{ "messages": [] }' });
    expect(body).toBe(answer(null));
    expect(rawHeaders[rawHeaders.indexOf('content-length') + 1]).toBe(String(answer(null).length));
    expect(upstream.received[0]?.body).toBe('{ "messages": [],"return_token_ids":true,"logprobs":true }');
    const call = await vllm.recording.next();
    expect(call.head.asked).toEqual(['return_token_ids', 'logprobs']);
    expect(call.request.toString()).toBe('{ "messages": [] }');
    expect(call.pieces.map(({ bytes }) => bytes).join('')).toBe(answer([2, 3]));
  });

  it('are taken out of events whose length was announced, and the length is that of what is left', async () => {
    const event = (ids: number[] | null) => `data: ${answer(ids)}\n\n`;
    upstream.answer = (res) => {
      const text = event([2]) + event([3]);
      res.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': text.length }).end(text);
    };
    const { body, rawHeaders, error } = await ask(`${vllm.url}${CHAT}`, { method: 'POST', body: '{"stream":true}' });
    expect([body, error]).toEqual([event(null) + event(null), null]);
    expect(rawHeaders[rawHeaders.indexOf('content-length') + 1]).toBe(String(body.length));
    await vllm.recording.next();
  });

  it('are shown where that is wanted, and not asked for where it is not', async () => {
    upstream.answer = answering;
    const shown = await startProxy(upstream.url, { engine: 'vllm', showsAdded: true });
    const silent = await startProxy(upstream.url, { engine: 'vllm', asks: false });
    const post = { method: 'POST', body: '{}' };
    expect((await ask(`${shown.url}${CHAT}`, post)).body).toBe(answer([2, 3]));
    expect((await ask(`${silent.url}${CHAT}`, post)).body).toBe(answer(null));
    await Promise.all([shown.close(), silent.close()]);
  });

  it('are not asked for again once they were refused, and a fault of the client is no refusal', async () => {
    const proxy = await startProxy(upstream.url, { engine: 'vllm' });
    const refuse: Answering = (res, { body }) => {
      const isBad = body.includes('return_token_ids') || body.includes('bad');
      res.writeHead(isBad ? 400 : 200, { 'content-type': 'application/json' }).end(isBad ? '{"no":1}' : '{"yes":1}');
    };
    upstream.answer = refuse;
    const post = (body: string) => ask(`${proxy.url}${CHAT}`, { method: 'POST', body });
    upstream.received.length = 0;
    expect(await post('{"bad":1}')).toMatchObject({ status: 400, body: '{"no":1}' });
    expect(await post('{"a":1}')).toMatchObject({ status: 200, body: '{"yes":1}' });
    expect(await post('{"a":2}')).toMatchObject({ status: 200, body: '{"yes":1}' });
    expect(upstream.received.map(({ body }) => body.includes('return_token_ids'))).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    const [bad, first] = proxy.recording.calls;
    expect([bad?.answer?.status, first?.answer?.status]).toEqual([400, 200]);
    expect(first?.head.asked).toEqual([]);
    expect(first?.pieces.map(({ bytes }) => bytes).join('')).toBe('{"yes":1}');
    expect((await ask(`${proxy.url}/rollstream/status`)).body).toContain('chat: return_token_ids, logprobs');
    await proxy.close();
  });

  it('are asked for of an engine that says which it is, by whoever calls first', async () => {
    const proxy = await startProxy(upstream.url, { engine: 'auto' });
    upstream.answer = (res, { url, body }) =>
      res.end(url === '/v1/models' ? '{"data":[{"id":"m","owned_by":"sglang"}]}' : JSON.stringify({ body }));
    await ask(`${proxy.url}/v1/completions`, {
      method: 'POST',
      body: '{"a":1}',
      headers: ['Authorization', 'Bearer k'],
    });
    const [models, call] = upstream.received;
    expect(models).toMatchObject({ method: 'GET', url: '/v1/models' });
    expect(models?.rawHeaders).toContain('Bearer k');
    expect(call?.body).toBe('{"a":1,"return_token_ids":true,"logprobs":0}');
    expect(JSON.parse((await ask(`${proxy.url}/rollstream/status`)).body)).toMatchObject({ engine: 'sglang' });
    await proxy.close();
  });

  it('are not asked for of one that does not say, which is said', async () => {
    const proxy = await startProxy(upstream.url, { engine: 'auto' });
    upstream.answer = (res, { url, body }) => res.writeHead(url === '/v1/models' ? 401 : 200).end(body);
    expect((await ask(`${proxy.url}${CHAT}`, { method: 'POST', body: '{"a":1}' })).body).toBe('{"a":1}');
    expect(JSON.parse((await ask(`${proxy.url}/rollstream/status`)).body)).toMatchObject({
      engine: 'not known yet',
      last_problem: expect.stringContaining('it answered 401'),
    });
    await proxy.close();
  });
});
