import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { openConfluentRegistry } from '../../src/registry/confluent/open-confluent-registry.ts';
import { startCluster } from '../chaos/cluster.ts';
import type { Workers } from '../chaos/workers.ts';
import type { Bench, Figure, Size } from './bench.ts';
import { type Bases, createStage, type Stage, type Taken } from './kafka-stage.ts';
import { spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const PARTITIONS = 4;
const SIZES = {
  full: { steps: 60_000, latencyS: 20, open: [1_000, 100_000], workers: [1, 2, 4] },
  smoke: { steps: 2_000, latencyS: 10, open: [2_000], workers: [1, 2] },
} as const;

/** Steps of 512 tokens on real services: `npm run bench -- kafka`. Not among those that run by themselves: it needs Java and Maven. */
export const kafka: Bench = {
  name: 'kafka',
  run: (size) =>
    inTemporaryFolder(async (folder) => {
      const cluster = await startCluster(join(folder, 'services'));
      const broker = await openKafkaBroker({ brokers: [cluster.brokers], clientId: 'bench' });
      const bases = { cluster, broker, folder };
      try {
        const { figures, rate } = await throughput(bases, size);
        figures.push(await latency(bases, size, rate));
        for (const units of SIZES[size].open) figures.push(await restart(bases, units));
        return figures;
      } finally {
        await broker.close();
        await cluster.close();
      }
    }),
};

async function withWorkers<T>(stage: Stage, count: number, work: (workers: Workers) => Promise<T>): Promise<T> {
  const workers = stage.startWorkers(count);
  try {
    return await work(workers);
  } finally {
    await workers.stop();
  }
}

/** The log is filled first, so that its producer takes no time from the workers. */
async function throughput(bases: Bases, size: Size): Promise<{ figures: Figure[]; rate: number }> {
  const { steps, workers: counts } = SIZES[size];
  const figures: Figure[] = [];
  let rate = 0;
  for (const count of counts) {
    const stage = await createStage(bases, `steps-${count}`, { partitions: PARTITIONS });
    await stage.fill(steps);
    const copy = await stage.copy(steps);
    const own = await withWorkers(stage, count, (workers) => stage.drain(workers));
    const [perSecond, bare] = [own.count / own.wallS, steps / copy.wallS];
    if (count === 1) rate = perSecond;
    const cpu = ({ cpuS, count: of }: Taken) =>
      (['clients', 'kafka', 'clickhouse'] as const)
        .map((who) => `${who} ${((1e6 * cpuS[who]) / of).toFixed(0)}`)
        .join(', ');
    figures.push({
      name: `kafka: → ready + ClickHouse, ${count} worker${count === 1 ? '' : 's'}`,
      value: spreadOf([perSecond]),
      unit: 'steps/s',
      yardstick: { name: 'bare kafkajs copy', value: spreadOf([bare]) },
      ratio: perSecond / bare,
      ...(count === 1 ? { target: { text: '≥ 0.75 × the copy', met: perSecond >= 0.75 * bare } } : {}),
      notes: [`CPU a step, µs: ${cpu(own)}; of the copy: ${cpu(copy)}`],
    });
  }
  return { figures, rate };
}

/** From before the append of what closes a rollout to when a read_committed reader has its trajectory. */
async function latency(bases: Bases, size: Size, rate: number): Promise<Figure> {
  const stage = await createStage(bases, 'latency', { partitions: PARTITIONS });
  const { broker, cluster } = bases;
  const codecs = createCodecs(openConfluentRegistry({ url: cluster.registryUrl }));
  const decode = codecs.decoderOf<Trajectory>(trajectorySchema);
  const closedAt = new Map<string, number>();
  const tookMs: number[] = [];
  let sending = true;

  async function send(): Promise<void> {
    const began = performance.now();
    for (let sent = 0; performance.now() - began < 1000 * SIZES[size].latencyS; ) {
      const due = Math.floor(((performance.now() - began) / 1000) * (rate / 2)) - sent;
      const made = Array.from({ length: Math.max(0, due) }, () => stage.next());
      const at = performance.now();
      for (const { event } of made) if (event.kind === 'verdict') closedAt.set(event.rollout_id, at);
      if (made.length > 0)
        await broker.append(
          stage.topics.steps,
          made.map(({ record }) => record),
        );
      sent += made.length;
      await sleep(5);
    }
    sending = false;
  }
  async function receive(): Promise<void> {
    let offset = 0;
    while (sending || tookMs.length < closedAt.size) {
      const records = await broker.read(stage.topics.ready, 0, offset, { maxBytes: 1 << 22, maxWaitMs: 200 });
      const at = performance.now();
      await codecs.prepare(
        records
          .flatMap(({ value }) => (value === null ? [] : [schemaIdOf(value)]))
          .filter((id) => typeof id === 'number'),
      );
      for (const record of records) {
        offset = record.offset + 1;
        const outcome = record.value === null ? null : decode(record.value);
        const closed = outcome?.kind === 'ok' ? closedAt.get(outcome.value.rollout_id) : undefined;
        if (closed !== undefined) tookMs.push(at - closed);
      }
    }
  }
  const flushMs = await withWorkers(stage, 1, async (workers) => {
    await workers.serving();
    await Promise.all([send(), receive()]);
    const [total, count] = [
      await workers.metric('rollstream_flush_seconds_sum'),
      await workers.metric('rollstream_flush_seconds_count'),
    ];
    return (1000 * total) / count;
  });
  const sorted = tookMs.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const limit = flushMs + 250 + 20;
  return {
    name: 'kafka: end → visible, half load, p99',
    value: spreadOf([at(0.99)]),
    unit: 'ms',
    target: { text: `≤ a flush (${flushMs.toFixed(0)}) + 250 + 20 ms`, met: at(0.99) <= limit },
    notes: [
      `p50 ${at(0.5).toFixed(0)} ms, largest ${at(1).toFixed(0)} ms, ${sorted.length} trajectories, ${(rate / 2).toFixed(0)} steps/s`,
    ],
  };
}

/** So many units are open when the one worker is killed; the next one reads them again. */
async function restart(bases: Bases, units: number): Promise<Figure> {
  const stage = await createStage(bases, `open-${units}`, { partitions: 1, atOnce: units });
  // While all are begun none has ended: 18 events each, or of very many only the first.
  const records = Math.min(18 * units, Math.round(1.25 * units) + 10_000);
  await stage.fill(records);
  return withWorkers(stage, 1, async (workers) => {
    const live = await stage.drain(workers);
    const rate = live.count / live.wallS;
    await workers.kill(0);
    while ((await workers.metric('rollstream_lane_restored')) === 0) await sleep(100);
    const seconds = await workers.metric('rollstream_restore_seconds_sum');
    const read = await workers.metric('rollstream_records_read_total');
    const replayed = read / seconds;
    return {
      name: `kafka: restart, ${units.toLocaleString('en')} open units`,
      value: spreadOf([replayed]),
      unit: 'records/s',
      yardstick: { name: 'live', value: spreadOf([rate]) },
      ratio: replayed / rate,
      target: { text: '≥ 2 × live', met: replayed >= 2 * rate },
      notes: [`${read.toLocaleString('en')} records read again in ${seconds.toFixed(1)} s`],
    };
  });
}
