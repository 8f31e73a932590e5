import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { laneGroup, topicNames } from '../../src/config/topics.ts';
import type { ReplayReport } from '../../src/rescore/replays.ts';
import { writeWorkerConfig } from '../chaos/cluster.ts';
import { sumsRuns } from '../chaos/replay/sums-runs.ts';
import { sqlRows } from '../chaos/sql-rows.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { endPrograms, runProgram, startProgram } from '../e2e/program.ts';

/** Replays out of the log of Kafka, two partitions of it, and what becomes of them when Kafka has deleted or forgotten something. */

const RUNS = ['one', 'two', 'three'];
const prefix = `log-${randomUUID()}.`;
const { steps, ready } = topicNames(prefix);
const kafka = new Kafka({ brokers: [inject('services').kafka], logLevel: logLevel.NOTHING });
const admin = kafka.admin();
let folder = '';
let front: FrontProcess;
let where: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-replay-log-'));
  front = await startFront({ writable: true });
  const config = join(folder, 'worker.yaml');
  const services = { brokers: inject('services').kafka, registryUrl: inject('services').registry };
  const keys = { partitions: 2, topic_prefix: prefix, 'replay.chunk_events': 100 };
  await writeWorkerConfig(config, { ...services, clickhouseUrl: front.url }, keys);
  where = ['--config', config];
  const server = startProgram(['up', ...where]);
  await server.saying(/serving at (\S+)/);
  const file = join(folder, 'steps.jsonl');
  await writeFile(
    file,
    sumsRuns(RUNS, 12)
      .lines.map((line) => `${line}\n`)
      .join(''),
  );
  await runProgram(['import', file, '--wait', ...where]);
  await admin.connect();
}, 240_000);
afterAll(async () => {
  await admin.disconnect();
  await endPrograms();
  await front.remove();
  await rm(folder, { recursive: true, force: true });
});

async function replayed(code: number, ...flags: readonly string[]): Promise<ReplayReport> {
  return JSON.parse(await runProgram(['replay', '--policy', 'strict', ...flags, '--json', ...where], code));
}

/** What it says of what changed, whichever replay it is of. */
const saidBy = ({ status: { units, attempts, changed }, diff, refused, policy_id }: ReplayReport) => ({
  ...{ units, attempts, changed, policy_id },
  refused: refused.filter(({ n }) => n > 0),
  diff: { ...diff, examples: [...diff.examples].sort(byAttempt) },
});
type Example = ReplayReport['diff']['examples'][number];
const nameOf = ({ unit, rollout_id, attempt }: Example): string => `${unit} ${rollout_id} ${attempt}`;
const byAttempt = (a: Example, b: Example): number => (nameOf(a) < nameOf(b) ? -1 : 1);

const rowsOf = (table: string, replayId: string) =>
  sqlRows(
    front.url,
    `SELECT * EXCEPT (replay_id) FROM rollstream.${table} FINAL WHERE replay_id = '${replayId}' ORDER BY ALL`,
  );

describe('out of the log', () => {
  it('over two partitions it is what it is out of the store: report and rows', async () => {
    const store = await replayed(0, '--save');
    const log = await replayed(0, '--save', '--source', 'log');
    expect(store.status.attempts).toBe(4 * (3 * 12 + 2));
    expect(saidBy(log)).toEqual(saidBy(store));
    for (const table of ['decisions', 'rewards']) {
      const expected = await rowsOf(table, store.status.replay_id);
      expect(expected.length).toBeGreaterThan(100);
      expect(await rowsOf(table, log.status.replay_id)).toEqual(expected);
    }
    const partitions = await sqlRows(front.url, 'SELECT DISTINCT partition FROM rollstream.live_decisions');
    expect(partitions).toHaveLength(2);
  }, 120_000);

  it('of a stretch of one partition it takes the units that begin there, as the store does', async () => {
    const stretch = ['--from', '1:20', '--to', '1:90'];
    const [store, log] = [await replayed(0, ...stretch), await replayed(4, ...stretch, '--source', 'log')];
    const [began] = await sqlRows<{ n: number }>(
      front.url,
      `SELECT toUInt32(count()) AS n FROM (SELECT unit, min(offset) AS first, any(partition) AS p
       FROM rollstream.live_steps WHERE unit != '' GROUP BY unit HAVING p = 1 AND first >= 20 AND first < 90)`,
    );
    expect([store.status.units, began?.n]).toEqual([log.status.units, log.status.units]);
    expect(saidBy(log).diff).toEqual(saidBy(store).diff);
  }, 120_000);

  it('what Kafka has deleted is refused by name, and the rest is replayed', async () => {
    const below = 60;
    const lost = await sqlRows<{ rollout: string }>(
      front.url,
      `SELECT DISTINCT rollout_id AS rollout FROM rollstream.steps WHERE rollout_id != '' AND unit IN
       (SELECT unit FROM rollstream.steps WHERE partition = 0 AND offset < ${below} AND unit != '') ORDER BY rollout`,
    );
    await admin.fetchTopicOffsets(steps); // or it does not know the leader
    await admin.deleteTopicRecords({ topic: steps, partitions: [{ partition: 0, offset: `${below}` }] });
    const report = await replayed(4, '--source', 'log', '--run', 'one', 'two', 'three');
    const named = report.refused.flatMap(({ rollouts }) => rollouts);
    expect(report.refused.map(({ reason }) => reason)).toEqual(['records_deleted']);
    expect([...new Set(named)].sort()).toEqual(lost.map(({ rollout }) => rollout));
    expect(report.status.attempts + named.length).toBe(4 * (3 * 12 + 2));
    // The store has them.
    expect((await replayed(0)).status.attempts).toBe(4 * (3 * 12 + 2));
  }, 120_000);
});

describe('an emission whose commit Kafka has forgotten', () => {
  it('is refused, and says what to do; nothing is twice, and another replay emits the rest', async () => {
    const flags = ['--verifier', 'exact', '--scorer', 'sums', '--emit', '--json'];
    const begun = startProgram(['replay', ...flags, '--run', ...RUNS, ...where]);
    const [, replayId = ''] = await begun.saying(/^replay (\S+)/m);
    // The first of the runs: behind its transaction, which is booked or not.
    while (!(await isCommitted(`${laneGroup(prefix)}.replay.${replayId}.one`)));
    begun.child.kill('SIGKILL');
    expect((await begun.ended).signal).toBe('SIGKILL');
    const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
    await admin.deleteGroups(groups.filter((id) => id.includes(`.replay.${replayId}.`)));

    const resumed = await startProgram(['replay', '--resume', replayId, ...where]).ended;
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toMatch(
      /replay \S+ has emitted something, and its commit \(\S+\) is gone: replay again, .*\[RS_COMMIT_LOST\]/,
    );
    const again = await runProgram(['replay', ...flags, '--run', ...RUNS, ...where], 0);
    const { status }: ReplayReport = JSON.parse(again);
    const names = await emittedNames();
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith(status.replay_id))).toHaveLength(status.emitted);
    expect(names.some((name) => name.startsWith(replayId))).toBe(true);
  }, 120_000);
});

async function isCommitted(groupId: string): Promise<boolean> {
  const [found] = await admin.fetchOffsets({ groupId, topics: [steps] });
  return found?.partitions.some(({ offset }) => offset !== '-1') === true;
}

/** Of each record of a replay: replay, key and place in its group, by a client that is not ours. */
async function emittedNames(): Promise<string[]> {
  const [partition] = await admin.fetchTopicOffsets(ready);
  const end = Number(partition?.high ?? 0);
  const consumer = kafka.consumer({ groupId: `names-${randomUUID()}`, readUncommitted: false });
  const names: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic: ready, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    consumer
      .run({
        eachBatch: async ({ batch }) => {
          for (const { key, headers } of batch.messages)
            if (headers?.replay !== undefined)
              names.push(`${headers.replay.toString()} ${key?.toString()} ${headers.index?.toString()}`);
          if (Number(batch.lastOffset()) >= end - 1) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return names;
}
