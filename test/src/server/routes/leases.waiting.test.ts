import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../src/delivery/delivery.ts';
import { type Listener, listen } from '../../../../src/server/listen.ts';
import { sampleBatch } from '../sample-batch.ts';
import { deliveryApp, scriptedDelivery } from '../scripted-delivery.ts';

const BODY = JSON.stringify({ run: 'r', consumer: 'trainer-0', batch_index: 0, count: 1, wait_ms: 60_000 });
const MB = 2 ** 20;

const opened: Listener[] = [];
afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close(0);
});

/** A server over sockets, whose delivery has never enough; each request that waits is in `waiting` as its signal. */
async function serve(over: Partial<Delivery> = {}) {
  const closing = new AbortController();
  const waiting: AbortSignal[] = [];
  const looks: (() => void)[] = [];
  const changed = (): void => {
    for (const look of looks) look();
  };
  const lease: Delivery['lease'] = (_, signal) =>
    new Promise((resolve) => {
      waiting.push(signal);
      signal.addEventListener('abort', () => {
        resolve(null);
        changed();
      });
      changed();
    });
  const app = deliveryApp(scriptedDelivery({ lease, ...over }).delivery, { closing: closing.signal });
  const listener = await listen('127.0.0.1', 0, (request) => app.fetch(request));
  opened.push(listener);
  return {
    url: listener.url,
    waiting,
    /** Resolves when it holds. */
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = (): void => (holds() ? resolve() : undefined);
        looks.push(look);
        look();
      }),
    async close(graceMs: number) {
      closing.abort();
      await listener.close(graceMs);
    },
  };
}

function ask(url: string, agent: Agent): ClientRequest {
  const sent = httpRequest(`${url}/v1/leases`, { method: 'POST', agent });
  sent.end(BODY);
  return sent;
}

describe('a long poll', () => {
  it('of 1,000 clients is held for each, and each goes away by itself', async () => {
    const agent = new Agent({ maxSockets: 2_000 });
    const server = await serve();
    const sent = Array.from({ length: 1_000 }, () => ask(server.url, agent).on('error', () => {}));
    await server.until(() => server.waiting.length === 1_000);
    expect(server.waiting.some(({ aborted }) => aborted)).toBe(false);
    expect((await fetch(`${server.url}/v1/runs/r/delivery`)).status).toBe(200);

    for (const request of sent.slice(0, 999)) request.destroy();
    await server.until(() => server.waiting.filter(({ aborted }) => aborted).length === 999);
    const last = sent[999];
    if (last === undefined) throw new Error('1,000 were sent');
    const answered = once(last, 'response');
    await server.close(2_000);
    const [response] = await answered;
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(await json(response)).toMatchObject({ error: { code: 'RS_INTERRUPTED' } });
    agent.destroy();
  });
});

describe('a batch that comes when its client has gone', () => {
  it('is given back where nobody can ask for it again, and else kept for who does', async () => {
    const released: string[] = [];
    for (const [lease, batch_index] of [
      ['1.kept.1', 0],
      ['1.back.2', undefined],
    ] as const) {
      const client = new AbortController();
      const grant: Delivery['lease'] = (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(sampleBatch([], { lease })));
          client.abort();
        });
      const release: Delivery['release'] = async (id) => void released.push(id);
      const body = JSON.stringify({ run: 'r', consumer: 'c', count: 1, batch_index });
      const init = { method: 'POST', body, signal: client.signal };
      await deliveryApp(scriptedDelivery({ lease: grant, release }).delivery).request('/v1/leases', init);
    }
    expect(released).toEqual(['1.back.2']);
  });
});

describe('a client that never reads its answer', () => {
  it('holds less of it than was leased, keeps nobody waiting, and is cut when the server closes', async () => {
    // 256 MB to send, of 1 MB that is held.
    const records = Array.from({ length: 256 }, () => megabyte);
    const { url, close } = await serve({ lease: async () => sampleBatch(records) });
    const before = process.memoryUsage().arrayBuffers;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    const head = `POST /v1/leases HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/vnd.rollstream.batch\r\ncontent-length: ${BODY.length}\r\n\r\n`;
    socket.write(head + BODY);
    await once(socket, 'readable');
    // From here on it reads no more.
    for (let request = 0; request < 50; request += 1)
      expect((await fetch(`${url}/v1/runs/r/delivery`)).status).toBe(200);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MB);
    const closed = once(socket, 'close');
    await close(10);
    socket.resume();
    await closed;
  });
});

const megabyte = Buffer.alloc(MB, 7);
