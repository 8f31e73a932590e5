import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/clickhouse/port.ts';
import { openRemoteStore } from '../../../src/clickhouse/remote-client.ts';
import { encodeSteps } from '../../../src/clickhouse/tables/steps.ts';
import { createRetryOutage } from '../../../src/lanes/retry-outage.ts';
import { sleep } from '../../../src/lanes/sleep.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../clickhouse-front/faulty-proxy.ts';
import { type FrontProcess, startFront } from '../../clickhouse-front/start-front.ts';
import { sampleStep } from './tables/sample-rows.ts';

const retryOutage = createRetryOutage({
  log: pino({ level: 'silent' }),
  sleep: (ms, ended) => sleep(Math.min(ms, 200), ended),
  ended: new AbortController().signal,
});
const owner = { topic: 't', term: 1 };
const steps = (run: string, count = 200) =>
  encodeSteps(
    Array.from({ length: count }, (_, seq) => sampleStep(seq, { run_id: run, seq, env_name: 'x'.repeat(200) })),
    owner,
  );

describe('through outages', () => {
  let front: FrontProcess;
  let proxy: FaultyProxy;
  let store: Store;
  /** Gives up after a second, which a busy machine may need for an answer: for what never comes, and for retries. */
  let impatient: Store;
  let direct: Store;
  let serial = 0;
  let run = '';

  beforeAll(async () => {
    front = await startFront({ writable: true, migrate: true });
    proxy = await startFaultyProxy(front.url);
    const account = { user: 'rollstream', password: '' };
    store = await openRemoteStore({ ...account, url: proxy.url });
    impatient = await openRemoteStore({ ...account, url: proxy.url, timeoutMs: 1_000 });
    direct = await openRemoteStore({ ...account, url: front.url });
    await store.migrate();
  });
  afterAll(async () => {
    await store.close();
    await impatient.close();
    await direct.close();
    await proxy.stop();
    await front.remove();
  });
  beforeEach(() => {
    run = `run-${++serial}`;
  });

  /** Rows as they lie in the table, and as they count. */
  const rowsOf = async (of: string) => {
    const sql = `SELECT count() AS n, uniqExact(seq) AS seqs FROM rollstream.steps FINAL WHERE run_id = {run:String}`;
    return (await direct.query<{ n: number; seqs: number }>(sql, { run: of }))[0];
  };
  const whole = { n: 200, seqs: 200 };

  test.each<[Fault, 0 | 200]>([
    ['half sent', 0],
    ['answer lost', 200],
    ['half answered', 200],
    ['silent', 0],
    ['HTTP 503', 0],
    ['too many parts', 0],
  ])('%s: waiting can help, and the same rows again are there once', async (fault, left) => {
    proxy.plan(fault);
    const failing = fault === 'silent' ? impatient : store;
    await expect(failing.insert(steps(run))).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE', retriable: true });
    expect(await rowsOf(run)).toEqual({ n: left, seqs: left });
    await store.insert(steps(run));
    expect(await rowsOf(run)).toEqual(whole);
  });

  test('one after the other: the rows are there once', async () => {
    const faults: Fault[] = ['half sent', 'answer lost', 'HTTP 503', 'half answered', 'too many parts', 'silent'];
    proxy.plan(...faults);
    await retryOutage('inserting', () => impatient.insert(steps(run)));
    expect(await rowsOf(run)).toEqual(whole);
  });

  test('a slow answer is an answer', async () => {
    const before = proxy.done();
    proxy.plan('slow');
    await store.insert(steps(run));
    expect(proxy.done() - before).toBe(1);
    expect(await rowsOf(run)).toEqual(whole);
  });

  test('nobody listens for a while: the rows arrive once it is back', async () => {
    await proxy.stop();
    await expect(store.insert(steps(run))).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE' });
    await expect(store.query('SELECT 1')).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE' });
    await expect(store.queryAsReader('SELECT 1', 'JSON')).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE' });
    const inserted = retryOutage('inserting', () => store.insert(steps(run)));
    await proxy.start();
    await inserted;
    expect(await rowsOf(run)).toEqual(whole);
  });

  test('kill -9 of the server in the middle of inserts: what it acknowledged is there, what it did not comes again', async () => {
    const runs = Array.from({ length: 6 }, (_, index) => `${run}-${index}`);
    let acknowledged = 0;
    const inserting = (async () => {
      for (const each of runs) {
        await retryOutage('inserting', () => store.insert(steps(each)));
        acknowledged++;
        if (acknowledged === 2) void front.kill();
      }
    })();
    await expect.poll(() => acknowledged, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    await front.kill();
    front = await startFront({ folder: front.folder, port: Number(new URL(front.url).port), writable: true });
    await inserting;
    for (const each of runs) expect(await rowsOf(each)).toEqual(whole);
  });
});

describe('opening', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function answering(status: number, text: string): Promise<string> {
    const server = createServer((_request, response) => response.writeHead(status).end(text));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const address: AddressInfo | string | null = server.address();
    return address === null || typeof address === 'string' ? '' : `http://127.0.0.1:${address.port}`;
  }
  const open = (url: string) => openRemoteStore({ url, user: 'u', password: 'p' });

  test.each([
    ['a server that is too old', 200, '24.8.1.1\n', /24\.8\.1\.1 is too old: 25\.3 or newer/],
    ['a server that is none', 200, '<html>hello</html>', /not ClickHouse/],
    ['a path that is none', 404, 'no such page', /answered 404: no such page/],
    [
      'a wrong password',
      403,
      'Code: 516. DB::Exception: u: Authentication failed. (AUTHENTICATION_FAILED)',
      /Authentic/,
    ],
  ])('refuses %s', async (_what, status, text, message) => {
    const url = await answering(status, text);
    await expect(open(url)).rejects.toMatchObject({
      ...{ code: 'RS_STORE_REFUSED', retriable: false, message: expect.stringMatching(message) },
    });
  });

  test('refuses TLS where there is none, and what is no address', async () => {
    const url = await answering(200, '26.1.1.1\n');
    await expect(open(url.replace('http', 'https'))).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
    await expect(open('clickhouse:9000')).rejects.toMatchObject({ code: 'RS_CONFIG' });
  });

  test('says that waiting can help where nobody listens, or a server before it is busy', async () => {
    await expect(open(await answering(502, 'bad gateway'))).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE' });
    await expect(open('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'RS_STORE_UNREACHABLE' });
  });
});
