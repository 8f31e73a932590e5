import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { Broker, NewRecord } from '../../src/broker/port.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { laneGroup, topicNames } from '../../src/config/topics.ts';
import { createCodecs, type Encode } from '../../src/registry/codecs.ts';
import { openConfluentRegistry } from '../../src/registry/confluent/open-confluent-registry.ts';
import { type Cluster, writeWorkerConfig } from '../chaos/cluster.ts';
import { startWorkers, type Workers } from '../chaos/workers.ts';
import { rollstream } from '../e2e/rollstream.ts';
import type { Spent } from './rounds.ts';
import { createSampleSteps } from './sample-steps.ts';

const run = promisify(execFile);
const BATCH = 500;
const ASK_EVERY_MS = 50;

export interface Bases {
  readonly cluster: Cluster;
  readonly broker: Broker;
  readonly folder: string;
}

/** CPU seconds by who took them. */
export interface Shares {
  readonly clients: number;
  readonly kafka: number;
  readonly clickhouse: number;
}

/** What a copy or a drain took. */
export interface Taken {
  readonly wallS: number;
  readonly count: number;
  readonly cpuS: Shares;
}

/** Topics of their own, rollouts of their own. */
export interface Stage {
  readonly topics: ReturnType<typeof topicNames>;
  /** A record for the next step; its event, too. */
  next(): { readonly event: StepEventInit; readonly record: NewRecord };
  fill(count: number): Promise<void>;
  /** Copies what was filled in, by the bare client. */
  copy(count: number): Promise<Taken>;
  startWorkers(count: number): Workers;
  /** Records that the group has committed. */
  committed(): Promise<number>;
  /** From the first commit that is seen to the last; `count` records came between them. */
  drain(workers: Workers): Promise<Taken>;
}

export async function createStage(
  { cluster, broker, folder }: Bases,
  name: string,
  { partitions, atOnce }: { readonly partitions: number; readonly atOnce?: number },
): Promise<Stage> {
  const prefix = `${name}.`;
  const topics = topicNames(prefix);
  const copies = { name: `${name}.copy`, partitions, compacted: false };
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  const config = join(home, 'worker.yaml');
  await writeWorkerConfig(config, cluster, { topic_prefix: prefix, partitions, log_level: 'warn' });
  const applied = await rollstream('topics', 'apply', '--config', config);
  if (applied.code !== 0) throw new Error(applied.stderr);
  await broker.ensureTopics([copies]);
  const codecs = createCodecs(openConfluentRegistry({ url: cluster.registryUrl }));
  const encode: Encode<StepEventInit> = await codecs.encoderOf(`${topics.steps}-value`, stepEventSchema);
  const nextEvent = createSampleSteps(name, atOnce === undefined ? {} : { atOnce });

  const next: Stage['next'] = () => {
    // The store is the same for all: what it knows of one stage must not be another's.
    const event = { ...nextEvent(), run_id: name };
    return { event, record: { key: unitOf({ epoch: 0, group_id: null, ...event }), value: encode(event) } };
  };

  const eachPartition = async (ask: (partition: number) => Promise<number>): Promise<number> => {
    let sum = 0;
    for (let partition = 0; partition < partitions; partition += 1) sum += await ask(partition);
    return sum;
  };
  const committed = () =>
    eachPartition(
      async (partition) => (await broker.committed(laneGroup(prefix), topics.steps, partition))?.offset ?? 0,
    );

  const since = async ({ kafka, clickhouse }: Omit<Shares, 'clients'>): Promise<Omit<Shares, 'clients'>> => {
    const now = await cluster.cpuSeconds();
    return { kafka: now.kafka - kafka, clickhouse: now.clickhouse - clickhouse };
  };

  return {
    topics,
    next,
    async fill(count) {
      for (let left = count; left > 0; left -= BATCH) {
        const records = Array.from({ length: Math.min(BATCH, left) }, () => next().record);
        await broker.append(topics.steps, records);
      }
    },
    async copy(count) {
      const script = packageFile('test/bench/kafka-copy.child.mjs');
      const args = [script, cluster.brokers, topics.steps, copies.name, String(count)];
      const before = await cluster.cpuSeconds();
      const { wallS, cpuS }: Spent = JSON.parse((await run(process.execPath, args)).stdout);
      return { wallS, count, cpuS: { clients: cpuS, ...(await since(before)) } };
    },
    startWorkers(count) {
      return startWorkers(count, config, home);
    },
    committed,
    async drain(workers) {
      const end = await eachPartition(async (partition) => (await broker.bounds(topics.steps, partition)).end);
      let failure: unknown = null;
      workers.serving().catch((error: unknown) => {
        failure = error;
      });
      let first: { at: number; clients: number; services: Omit<Shares, 'clients'>; count: number } | null = null;
      for (;;) {
        if (failure !== null) throw failure;
        const count = await committed();
        const at = performance.now();
        if (first === null && count > 0)
          first = { at, clients: sum(await workers.cpuSeconds()), services: await cluster.cpuSeconds(), count };
        if (first !== null && count >= end) {
          const clients = sum(await workers.cpuSeconds()) - first.clients;
          const cpuS = { clients, ...(await since(first.services)) };
          return { wallS: (at - first.at) / 1000, cpuS, count: count - first.count };
        }
        await sleep(ASK_EVERY_MS);
      }
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
