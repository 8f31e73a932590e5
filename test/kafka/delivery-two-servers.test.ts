import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { rollstream, startRollstream } from '../e2e/rollstream.ts';

/** Two servers on Kafka: one grants, the other forwards to it, and takes over when it is killed. */
const RUN = 'calculator-events';
const EXAMPLE = packageFile(`examples/rollouts/${RUN}/steps.jsonl`);

type Server = { readonly process: ReturnType<typeof startRollstream>; readonly url: string };
let folder = '';
let front: FrontProcess;
let servers: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-two-servers-'));
  front = await startFront({ writable: true });
  const config = join(folder, 'worker.yaml');
  const keys = {
    'kafka.brokers': [inject('services').kafka],
    'registry.url': inject('services').registry,
    'clickhouse.url': front.url,
    'http.port': 0,
    topic_prefix: `two-${randomUUID()}.`,
    partitions: 1,
  };
  await writeFile(config, JSON.stringify(keys));
  servers = [await serve(config), await serve(config)];
  await rollstream('import', EXAMPLE, '--wait', '--config', config);
}, 300_000);
afterAll(async () => {
  for (const { process } of servers) {
    if (process.exitCode !== null || process.signalCode !== null) continue;
    const gone = once(process, 'exit');
    process.kill();
    await gone;
  }
  await front.remove();
  await rm(folder, { recursive: true, force: true });
});

async function serve(config: string): Promise<Server> {
  const process = startRollstream('up', '--config', config);
  let said = '';
  process.stdout.resume();
  const url = await new Promise<string>((resolve, reject) => {
    process.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const serving = /serving at (\S+)/.exec(said)?.[1];
      if (serving !== undefined) resolve(serving);
    });
    process.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return { process, url };
}

/** Asks again while leases are being taken over. */
async function post(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  for (;;) {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const answer: Record<string, unknown> = JSON.parse(await response.text());
    if (response.status !== 503) return { status: response.status, ...answer };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

it('each answers the same; who is left takes over what the killed one granted', async () => {
  const [a, b] = servers;
  if (a === undefined || b === undefined) throw new Error('two servers');
  const ask = { run: RUN, consumer: 't', batch_index: 0, count: 2 };
  const first = await post(a.url, '/v1/leases', ask);
  const second = await post(b.url, '/v1/leases', ask);
  expect(first).toMatchObject({ status: 200, lease: expect.any(String) });
  expect(second).toEqual(first);
  expect(await post(b.url, '/v1/versions', { run: RUN, step: 0, version: 'w0' })).toMatchObject({ ordinal: 0 });
  const granting = await Promise.all(
    servers.map(async ({ url }) =>
      (await (await fetch(`${url}/metrics`)).text()).includes('rollstream_leases_granted_total 1'),
    ),
  );
  expect([...granting].sort()).toEqual([false, true]);
  const [killed, left] = granting[0] ? [a, b] : [b, a];
  const gone = once(killed.process, 'exit');
  killed.process.kill('SIGKILL');
  await gone;
  const third = await post(left.url, '/v1/leases', ask);
  expect(third).toEqual({ ...first, version: 'w0' });
  expect(await post(left.url, `/v1/leases/${String(first.lease)}/ack`, { step: 1 })).toMatchObject({
    state: 'trained',
  });
}, 120_000);
