import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../examples/generate/random.ts';
import { openKafkaBroker } from '../../../src/broker/kafka/open-kafka-broker.ts';
import { topicNames } from '../../../src/config/topics.ts';
import { freePorts } from '../../kafka/free-ports.ts';
import { startTypescript } from '../../start-typescript.ts';
import { type Cluster, writeWorkerConfig } from '../cluster.ts';
import type { SentAttempt } from '../sent-rollouts.ts';
import { untilDrained } from '../until-drained.ts';
import { startWorkers } from '../workers.ts';
import { checkDelivery } from './check-delivery.ts';
import { findGranting } from './find-granting.ts';
import { readClaims } from './read-claims.ts';
import { startTrainers, type TrainedRun } from './trainers.ts';

/** As the producer names them: groups by plain batches, single ones by steps of two ranks. */
const RUNS: readonly TrainedRun[] = [
  { run: 'grouped', dp: 0 },
  { run: 'single', dp: 2 },
];
const SERVERS = 2;
const PATIENCE_MS = 300_000;
/** Between two faults, of both runs together. */
const MOST_STEPS = 16;
/** Every so many deaths of a trainer one is stopped and replaced, and wakes up again. */
const REPLACED_EVERY = 3;

export interface DeliveryChaos {
  readonly services: Pick<Cluster, 'brokers' | 'registryUrl' | 'clickhouseUrl'>;
  readonly folder: string;
  /** Of the topics. */
  readonly prefix: string;
  /** Of servers that grant and of trainers, half of each. */
  readonly kills: number;
  readonly seed: string;
  /** Events a second. */
  readonly rate: number;
  readonly say: (text: string) => void;
}

export interface DeliveryOutcome {
  readonly wrong: readonly string[];
  readonly figures: ReadonlyMap<string, string | number>;
}

/** Two servers, a trainer for each of two runs, and a producer; whoever grants and whoever trains is killed. */
export async function runDeliveryChaos(options: DeliveryChaos): Promise<DeliveryOutcome> {
  const { services, folder, prefix, seed, say } = options;
  const began = performance.now();
  const figures = new Map<string, string | number>([['seed', seed]]);
  const count = (what: string, more = 1): unknown => figures.set(what, Number(figures.get(what) ?? 0) + more);
  const wrong: string[] = [];
  const random = createRandom(`${seed} faults`);
  const [config, sentFile] = [join(folder, 'worker.yaml'), join(folder, 'sent.jsonl')];
  await writeWorkerConfig(config, services, { partitions: 2, topic_prefix: prefix });
  const ports = await freePorts(SERVERS);
  const servers = ports.map((port) => `http://127.0.0.1:${port}`);
  const workers = startWorkers(SERVERS, config, folder, ports);
  const closing: (() => unknown)[] = [() => workers.stop()];
  try {
    await workers.serving();
    const broker = await openKafkaBroker({ brokers: [services.brokers], clientId: 'delivery-chaos' });
    closing.push(() => broker.close());
    const of = { brokers: services.brokers, registry: services.registryUrl, prefix, out: sentFile };
    const args = Object.entries({ ...of, rate: options.rate, seed }).flatMap(([key, value]) => [
      `--${key}`,
      `${value}`,
    ]);
    const producer = startTypescript('../producer.ts', import.meta.url, args);
    producer.stderr.pipe(process.stderr);
    const produced = once(producer, 'exit');
    closing.push(() => producer.kill('SIGKILL'));
    const trainers = startTrainers({ runs: RUNS, servers, folder, seed });
    closing.push(() => trainers.close());

    const pick = (): string => RUNS[Math.floor(random() * RUNS.length)]?.run ?? '';
    const steps = (): number => trainers.said.get('step') ?? 0;
    for (let kill = 1; kill <= options.kills; kill += 1) {
      // By what was trained, not by the clock: on a slow machine, too, there is something to lose.
      const enough = steps() + MOST_STEPS * random();
      await until('the trainers go on', async () => steps() > enough);
      await sleep(random() * 300);
      if (kill % 2 === 0) {
        const place = await granting(servers);
        say(`server ${place}, which grants, is killed`);
        await workers.kill(place);
        count('kills of the server that grants');
        continue;
      }
      const run = pick();
      say(`the trainer of ${run} is killed`);
      await trainers.kill(run);
      count('kills of a trainer');
      if (Math.ceil(kill / 2) % REPLACED_EVERY !== 1) continue;
      await sleep(500 + random() * 2_000);
      const replaced = pick();
      say(`the trainer of ${replaced} is stopped, replaced, and wakes up`);
      await trainers.replace(replaced);
      count('trainers that were replaced, and woke up');
    }
    await granting(servers);
    producer.stdin.end();
    await produced;
    const sent = await sentIn(sentFile);
    say('the producer has sent all of it');
    await untilDrained(broker, PATIENCE_MS, prefix);
    for (const { run } of RUNS) {
      const ready = sent.filter((one) => one.run === run && one.ready !== null).length;
      await writeFile(join(folder, 'finish'), `${ready}`);
      await rename(join(folder, 'finish'), join(folder, `finish-${run}`));
    }
    say('drained; the trainers go on to the end');
    const ended = await Promise.race([trainers.done.then(() => true), sleep(PATIENCE_MS, false, { ref: false })]);
    if (!ended) wrong.push(`the trainers are not done after ${PATIENCE_MS} ms`);
    const runs = RUNS.map(({ run }) => run);
    const checked = await checkDelivery({ folder, config, clickhouseUrl: services.clickhouseUrl, runs, sent });
    wrong.push(...trainers.wrong, ...checked.wrong);
    for (const [event, times] of [...trainers.said].sort()) figures.set(`  trainers: ${event}`, times);
    for (const [state, times] of checked.states) figures.set(`trajectories ${state}`, times);
    figures.set('trajectories received by trainers', checked.received.length);
    const claims = await readClaims(broker, topicNames(prefix).leases);
    const leases = new Map(checked.received.map(({ lease, server }) => [`${lease} ${server}`, { lease, server }]));
    const forwarded = [...leases.values()].filter(
      ({ lease, server }) => claims.get(Number(lease.split('.')[0])) !== server,
    );
    figures.set('servers that granted, one after another', claims.size);
    figures.set('leases', new Set([...leases.values()].map(({ lease }) => lease)).size);
    figures.set('  answered through the other server', forwarded.length);
    trainers.close();
    const codes = await workers.stop();
    if (codes.some((code) => code !== 0)) wrong.push(`the servers ended with ${codes.join(', ')}`);
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    for (const close of closing.reverse()) await close();
  }
  figures.set('seconds', Math.round((performance.now() - began) / 1000));
  return { wrong, figures };
}

/** Waits until one does; its index. */
async function granting(servers: readonly string[]): Promise<number> {
  let place: number | null = null;
  await until('somebody grants', async () => {
    place = await findGranting(servers);
    return place !== null;
  });
  return place ?? 0;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not after ${PATIENCE_MS} ms: ${what}`);
    await sleep(100);
  }
}

async function sentIn(file: string): Promise<SentAttempt[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line): SentAttempt => JSON.parse(line));
}
