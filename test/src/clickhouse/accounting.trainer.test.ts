import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Explanation } from '../../../src/access/explanation.ts';
import type { Accounting } from '../../../src/clickhouse/accounting.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { cli, type RunningCli, startCli } from '../cli/test-io.ts';

/** A trainer by HTTP, and what the store says of it. */

const RUN = 'kv-nemo';
let folder = '';
let url = '';
let server: RunningCli;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-delivered-'));
  server = startCli(['up', '--port', '0', '--data', folder], { cwd: folder });
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
  const imported = await cli(['import', packageFile('examples', 'rollouts', RUN), '--run', RUN, '--data', folder]);
  expect([0, 4]).toContain(imported.code);
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true });
});

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const answer: Record<string, unknown> = JSON.parse(await response.text());
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
const lease = (batch_index: number) =>
  post('leases', { run: RUN, consumer: 't', batch_index, count: 1, unit: 'rollout', wait_ms: 10_000 });
async function books(run = RUN) {
  const accounting: Accounting = JSON.parse(
    (await cli(['accounting', '--run', run, '--json', '--data', folder])).stdout,
  );
  return accounting.runs[0];
}
async function named(name: string): Promise<Array<Record<string, unknown>>> {
  return JSON.parse(
    (await cli(['query', '--named', name, '--param', `run=${RUN}`, '--json', '--data', folder])).stdout,
  );
}

async function summaryOf(rollout: string): Promise<string | undefined> {
  const explained = await cli(['explain', rollout, '--json', '--data', folder]);
  const explanation: Explanation = JSON.parse(explained.stdout);
  return explanation.rollouts[0]?.summary;
}
async function trainedIn(step: number): Promise<string> {
  const sql = `SELECT rollout_id FROM rollstream.live_deliveries WHERE state = 'trained' AND step = ${step}`;
  const rows: Array<{ rollout_id: string }> = JSON.parse(
    (await cli(['query', sql, '--json', '--data', folder])).stdout,
  );
  return rows[0]?.rollout_id ?? '';
}
/** Rows follow the answers by a fraction of a second. */
const soon = { timeout: 20_000, interval: 100 };
const NONE = { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 };

it('the books say what a trainer took, acked and rejected, and balance; a rewind queues it again; a fork begins with it', async () => {
  const queued = { ready: 6, inherited: 0, ready_states: { ...NONE, queued: 6 }, balanced: true };
  expect(await books()).toMatchObject(queued);
  const [first, second] = [await lease(0), await lease(1)];
  await post(`leases/${first.lease}/ack`, { step: 1, version: 'v1', stats: { kl: 0.5 } });
  await post(`leases/${second.lease}/reject`, { reason: 'NaN loss' });
  await lease(2);
  const states = { ...NONE, queued: 3, leased: 1, trained: 1, trainer_rejected: 1, replaced: 0 };
  await expect.poll(books, soon).toMatchObject({ ready: 6, ready_states: states, balanced: true });

  expect(await named('trainer_feed')).toMatchObject([
    { run_id: RUN, queued: 3, leased: 1, trained: 1, trainer_rejected: 1, lag_unknown: 1 },
  ]);
  expect(await named('undelivered')).toMatchObject([
    { state: 'trainer_rejected', reason: 'NaN loss', trajectories: 1 },
  ]);
  expect(await named('train_match')).toMatchObject([{ trajectories: 1, kl: 0.5 }]);
  const waits = (await named('lifetime_wall')).filter((row) => row.trainer_wait_ms !== null);
  expect(waits).toMatchObject([{ trainer_wait_ms: expect.any(Number), taken_after_ms: expect.any(Number) }]);
  const rollout = await trainedIn(1);
  expect(await summaryOf(rollout)).toMatch(/ It was trained by t in step 1, which made v1; /);

  expect(await post(`runs/${RUN}/rewind`, { step: 0, lineage: 0, expect: 0, request: 'back' })).toMatchObject({
    lineage: 1,
  });
  const after = { ...NONE, queued: 5, trainer_rejected: 1, replaced: 0 };
  await expect.poll(books, soon).toMatchObject({ ready: 6, ready_states: after, balanced: true });
  expect(await summaryOf(rollout)).toMatch(/ It is queued again: step 1 trained it, /);

  await post(`runs/${RUN}/fork`, { run: 'fork', step: 0, lineage: 0, request: 'fork' });
  const forked = { run_id: 'fork', started: 0, ready: 0, inherited: 6, ready_states: after, balanced: true };
  await expect.poll(() => books('fork'), soon).toMatchObject(forked);
  const { runs }: { runs: unknown } = JSON.parse(await (await fetch(`${url}/v1/runs`)).text());
  expect(runs).toMatchObject([
    { run_id: RUN, started: 10, closed: 10 },
    { run_id: 'fork', started: 0, closed: 0, first_started_at: null, last_decided_at: null },
  ]);
});
