import { createServer, type RequestListener, type Server } from 'node:http';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { GateRow } from '../../../src/clickhouse/tables/gates.ts';
import { createWebhook } from '../../../src/gate/webhook.ts';

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

const ROW: GateRow = {
  ...{ run_id: 'run', seq: 3, state: 'hold', by: 'evaluator', classes: [], why_json: '{"verdict":"hold"}' },
  ...{ windowFromMs: 0, atMs: 1_700_000_000_000 },
};

async function listen(answer: RequestListener): Promise<number> {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A log whose first line can be waited for. */
function watchedLog() {
  let tell: (line: string) => void = () => undefined;
  const line = new Promise<string>((resolve) => {
    tell = resolve;
  });
  return { log: pino({ level: 'info' }, { write: (text: string) => tell(text) }), line };
}

it('is told of a change as JSON', async () => {
  const { log } = watchedLog();
  const told = await new Promise<string>((resolve) => {
    listen((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        response.end();
        resolve(body);
      });
    }).then((port) => createWebhook(`http://127.0.0.1:${port}/`, log)(ROW));
  });
  expect(JSON.parse(told)).toEqual({
    ...{ run_id: 'run', seq: 3, state: 'hold', by: 'evaluator', classes: [], why: { verdict: 'hold' } },
    ...{ window_from: '1970-01-01T00:00:00.000Z', at: '2023-11-14T22:13:20.000Z' },
  });
});

it.each<[string, RequestListener | null, RegExp]>([
  ['refuses', (_, response) => response.writeHead(500).end(), /it answered 500/],
  [
    'would send the change elsewhere',
    (_, response) => response.writeHead(307, { location: '/x' }).end(),
    /was not told/,
  ],
  ['is not there', null, /ECONNREFUSED/],
])('of one that %s a log line says so, without the URL and its token', async (_name, answer, said) => {
  const { log, line } = watchedLog();
  const port = await listen(answer ?? ((_request, response) => response.end()));
  if (answer === null) await new Promise((resolve) => server?.close(resolve));
  createWebhook(`http://127.0.0.1:${port}/hook?token=secret`, log)(ROW);
  const text = await line;
  expect(text).toMatch(said);
  expect(text).not.toContain('secret');
});
