import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openUrlVerifier } from '../../../src/verify/open-url-verifier.ts';
import type { VerifierAnswer } from '../../../src/verify/verifier.ts';
import { sampleInput } from './sample-input.ts';

interface Asked {
  readonly id: string;
  readonly input: object;
}

type Answer = (asked: Asked, response: ServerResponse, request: IncomingMessage, n: number) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: Answer): Promise<string> {
  let n = 0;
  const server = createServer(async (request, response) => {
    const asked: Asked = JSON.parse(JSON.stringify(await json(request)));
    n += 1;
    answer(asked, response, request, n);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/judge?key=secret`;
}

const waited: number[] = [];

async function ask(url: string, timeoutMs = 20_000): Promise<VerifierAnswer> {
  waited.length = 0;
  const verifier = openUrlVerifier({
    ...{ url, timeoutMs, scorer: 'tests', version: '1' },
    async sleep(ms) {
      waited.push(ms);
    },
  });
  return verifier.verify(sampleInput(), new AbortController().signal);
}

const good: Answer = ({ id }, response) => response.end(JSON.stringify({ id, reward: 1 }));

describe('a service', () => {
  it('is sent the request as JSON, and a name and password as a header', async () => {
    const seen: unknown[] = [];
    const url = await serve((asked, response, request, n) => {
      seen.push([request.method, request.headers['content-type'], request.headers.authorization, asked.input]);
      good(asked, response, request, n);
    });
    expect(await ask(url.replace('//', '//me:p%40ss@'))).toMatchObject({ status: 'scored', rewards: { reward: 1 } });
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(seen).toEqual([['POST', 'application/json', basic, sampleInput()]]);
  });

  it('that fails for a while is asked again, after the time that it asks for', async () => {
    const url = await serve((asked, response, request, n) => {
      if (n === 1) response.writeHead(503, { 'retry-after': '3' }).end();
      else if (n === 2) response.writeHead(429).end();
      else if (n === 3) response.destroy();
      else good(asked, response, request, n);
    });
    expect(await ask(url)).toMatchObject({ status: 'scored' });
    expect(waited).toEqual([3_000, 400, 800]);
  });

  it('that asks to be left alone for a day is waited for half a minute', async () => {
    const url = await serve((asked, response, request, n) => {
      if (n === 1) response.writeHead(503, { 'retry-after': '86400' }).end();
      else good(asked, response, request, n);
    });
    expect(await ask(url)).toMatchObject({ status: 'scored' });
    expect(waited).toEqual([30_000]);
  });
});

describe('what goes wrong with an attempt is a status', () => {
  const cases: readonly (readonly [name: string, Answer, status: string, reason: RegExp])[] = [
    ['500, always', (_, response) => response.writeHead(500).end('division by zero'), 'crash', /500: division by zero/],
    ['400', (_, response) => response.writeHead(400).end('no task'), 'crash', /400: no task/],
    ['broken off, always', (_, response) => response.destroy(), 'crash', /UND_ERR_SOCKET|ECONNRESET/],
    ['no JSON', (_, response) => response.end('<html>'), 'parse_error', /no JSON document/],
    ['nothing', (_, response) => response.writeHead(204).end(), 'parse_error', /nothing/],
    ['a NaN', (_, response) => response.end('{"reward": NaN}'), 'parse_error', /NaN/],
    ['another id', (_, response) => response.end('{"id":"x","reward":1}'), 'parse_error', /another id/],
    ['100 MB', (_, response) => response.end(Buffer.alloc(100 * 2 ** 20, 'x')), 'parse_error', /more than 1048576/],
  ];
  for (const [name, answer, status, reason] of cases) {
    it(name, async () => {
      const said = await ask(await serve(answer));
      expect(said).toMatchObject({ status, rewards: {} });
      expect(said.report).toMatch(reason);
    });
  }

  it('no answer in time', async () => {
    expect(await ask(await serve(() => {}), 100)).toMatchObject({
      status: 'timeout',
      report: 'no answer within 100 ms',
    });
  });
});

describe('what judges no attempt at all', () => {
  it('is an outage where nobody listens, or all are busy', async () => {
    const url = await serve((_, response) => response.writeHead(503).end());
    const unreachable = { code: 'RS_SERVER_UNREACHABLE', retriable: true };
    const error: unknown = await ask(url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(unreachable);
    // A URL may hold a secret.
    expect(String(error)).not.toContain('secret');
    const closed = await serve(good);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    await expect(ask(closed)).rejects.toMatchObject(unreachable);
    expect(waited).toEqual([200, 400, 800, 1_600]);
  });

  it('is a mistake where the place is wrong', async () => {
    for (const status of [401, 403, 404, 405]) {
      const url = await serve((_, response) => response.writeHead(status).end());
      await expect(ask(url), String(status)).rejects.toMatchObject({ code: 'RS_CONFIG' });
    }
    const elsewhere = await serve((_, response) => response.writeHead(307, { location: '/there' }).end());
    await expect(ask(elsewhere)).rejects.toMatchObject({ code: 'RS_CONFIG' });
    await expect(ask('http://127.0.0.1:1/')).rejects.toThrow(/cannot be asked: bad port/);
  });
});
