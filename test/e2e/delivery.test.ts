import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { startRollstream } from './rollstream.ts';
import { told } from './told.ts';

/** A trainer that knows HTTP alone, and a server that is killed between its answers. */
const RUN = 'calculator-events';
let folder = '';
let server: ReturnType<typeof startRollstream>;
let url = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-delivery-'));
  await serve();
  await told(['import', packageFile(`examples/rollouts/${RUN}/steps.jsonl`), '--data', join(folder, 'data')]);
});
afterAll(async () => {
  await end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

async function serve(): Promise<void> {
  server = startRollstream('up', '--port', '0', '--data', join(folder, 'data'));
  server.stdout.resume();
  let said = '';
  url = await new Promise<string>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const serving = /serving at (\S+)/.exec(said)?.[1];
      if (serving !== undefined) resolve(serving);
    });
    server.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
}
async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const gone = once(server, 'exit');
  server.kill(signal);
  await gone;
}
async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return JSON.parse(await response.text());
}

it('kill -9 takes no lease away: it is answered the same, acked once, and what was not taken comes next', async () => {
  const ask = { run: RUN, consumer: 't', batch_index: 0, count: 2 };
  const before = await post('/v1/leases', ask);
  expect(before.lease).toEqual(expect.any(String));
  await end('SIGKILL');
  await serve();
  expect(await post('/v1/leases', ask)).toEqual(before);
  const ack = { step: 1, version: 'w1' };
  expect(await post(`/v1/leases/${String(before.lease)}/ack`, ack)).toMatchObject({ state: 'trained' });
  await end('SIGKILL');
  await serve();
  expect(await post(`/v1/leases/${String(before.lease)}/ack`, ack)).toMatchObject({ state: 'trained' });
  const taken = new Set((Array.isArray(before.trajectories) ? before.trajectories : []).map(idOf));
  const next = await post('/v1/leases', { ...ask, batch_index: 1, count: 100 });
  const rest = (Array.isArray(next.trajectories) ? next.trajectories : []).map(idOf);
  expect([taken.size > 0, taken.size + rest.length, rest.filter((one) => taken.has(one))]).toEqual([true, 8, []]);
});

function idOf(trajectory: { readonly rollout_id: string }): string {
  return trajectory.rollout_id;
}
