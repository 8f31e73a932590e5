import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { writeWorkerConfig } from '../chaos/cluster.ts';
import { sqlRows } from '../chaos/sql-rows.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { endPrograms, runProgram, startProgram } from '../e2e/program.ts';
import { writeUnjudged } from '../src/verify/unjudged-lines.ts';

/** `verify` beside a worker on Kafka, two partitions. */

let folder = '';
let front: FrontProcess;
let where: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-kafka-verify-'));
  front = await startFront({ writable: true });
  const config = join(folder, 'worker.yaml');
  const services = { brokers: inject('services').kafka, registryUrl: inject('services').registry };
  await writeWorkerConfig(
    config,
    { ...services, clickhouseUrl: front.url },
    { partitions: 2, topic_prefix: `verify-${randomUUID()}.` },
  );
  where = ['--config', config];
  await startProgram(['up', ...where]).saying(/serving at (\S+)/);
}, 240_000);
afterAll(async () => {
  await endPrograms();
  await front.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Answered right when even. */
async function answer(run: string, count: number): Promise<void> {
  const rollouts = Array.from({ length: count }, (_, n) => ({ run, rollout: `${run}-${n}`, response: `${n % 2}` }));
  const file = writeUnjudged(
    join(folder, `${run}.jsonl`),
    rollouts.map((one) => ({ ...one, answer: '0' })),
  );
  await runProgram(['import', file, '--keep-open', ...where]);
}

const decided = (run: string) =>
  sqlRows<{ rollout_id: string; reward: number }>(
    front.url,
    `SELECT rollout_id, reward FROM rollstream.live_decisions WHERE run_id = '${run}' AND disposition = 'train'`,
  );

const right = (run: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ rollout_id: `${run}-${n}`, reward: n % 2 === 0 ? 1 : 0 }));
const byName = (rows: ReadonlyArray<{ readonly rollout_id: string }>) =>
  rows.toSorted((a, b) => (a.rollout_id < b.rollout_id ? -1 : 1));

it('once and waiting it judges all that was sent before it, and what it sent is decided when it ends', async () => {
  await answer('once', 20);
  const verify = ['verify', '--verifier', 'exact', '--once', '--wait', '--json', ...where];
  expect(JSON.parse(await runProgram(verify))).toMatchObject({ done: 20, by_status: { scored: 20 } });
  expect(byName(await decided('once'))).toEqual(byName(right('once', 20)));
  expect(JSON.parse(await runProgram(verify))).toMatchObject({ done: 0 });
}, 120_000);

it('following it judges what comes, once, and ends when it is asked to', async () => {
  const follower = startProgram(['verify', '--verifier', 'exact', '--interval', '200ms', '--json', ...where]);
  await follower.saying(/judging by exact/);
  await answer('followed', 12);
  await expect.poll(async () => (await decided('followed')).length, { timeout: 60_000 }).toBe(12);
  await answer('later', 8);
  await expect.poll(async () => (await decided('later')).length, { timeout: 60_000 }).toBe(8);
  follower.child.kill('SIGTERM');
  const { code, stdout } = await follower.ended;
  expect(code).toBe(0);
  expect(byName(await decided('followed'))).toEqual(byName(right('followed', 12)));
  const judged = stdout.split('\n').filter((line) => line !== '');
  expect(judged.reduce((sum, line) => sum + JSON.parse(line).done, 0)).toBe(20);
  const [sent] = await sqlRows<{ n: number }>(
    front.url,
    `SELECT toUInt32(count()) AS n FROM rollstream.step_faults WHERE kind = 'verdict'`,
  );
  expect(sent?.n).toBe(0);
}, 180_000);
