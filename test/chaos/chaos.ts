/**
 * Kafka, a registry, ClickHouse, workers and a producer, and what goes wrong with them; then what came out is checked from
 * outside. `npm run chaos -- --kills 50 [--seed TEXT] [--workers 3] [--rate EVENTS/S] [--keep]`, or `-- --front-outage SECONDS`:
 * ClickHouse is gone for so long under load. Exit code 1 when anything is wrong.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../../examples/generate/random.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import type { Broker } from '../../src/broker/port.ts';
import { topicNames } from '../../src/config/topics.ts';
import { startTypescript } from '../start-typescript.ts';
import { checkOutcome } from './check-outcome.ts';
import { startCluster, writeWorkerConfig } from './cluster.ts';
import { runFaults } from './run-faults.ts';
import { runFrontOutage } from './run-front-outage.ts';
import { untilDrained } from './until-drained.ts';
import { startWorkers } from './workers.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now()) },
    workers: { type: 'string', default: '3' },
    rate: { type: 'string', default: '400' },
    'front-outage': { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const PARTITIONS = 4;
const DRAIN_MS = 600_000;
/** Less than comes during an outage, so that the limit on bytes in flight is reached. */
const OUTAGE_LIMITS = { in_flight: '16MB', 'flush.bytes': '8MB' };

const outageS = values['front-outage'] === undefined ? null : Number(values['front-outage']);
const folder = await mkdtemp(join(tmpdir(), 'rollstream-chaos-'));
const files = { config: join(folder, 'worker.yaml'), sent: join(folder, 'sent.jsonl') };
const began = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}\n`);
};
const wrong: string[] = [];
const moments: string[] = [];
const rows: [string, string | number][] = [['seed', values.seed]];
const closing: (() => Promise<unknown>)[] = [];

function endings(codes: readonly (number | null)[]): string {
  const counts = [...new Set(codes)].map((code) => `${code}: ${codes.filter((other) => other === code).length}`);
  return counts.join(', ') || '-';
}

async function recordsIn(broker: Broker): Promise<number> {
  const { steps } = topicNames('');
  let sum = 0;
  for (let partition = 0; partition < PARTITIONS; partition += 1) sum += (await broker.bounds(steps, partition)).end;
  return sum;
}

say(`seed ${values.seed}, in ${folder}`);
try {
  await mkdir(join(folder, 'services'));
  const cluster = await startCluster(join(folder, 'services'));
  closing.push(() => cluster.close());
  await writeWorkerConfig(files.config, cluster, {
    partitions: PARTITIONS,
    ...(outageS === null ? {} : OUTAGE_LIMITS),
  });
  const workers = startWorkers(Number(values.workers), files.config, folder);
  closing.push(() => workers.stop());
  await workers.serving();
  const broker = await openKafkaBroker({ brokers: [cluster.brokers], clientId: 'chaos' });
  closing.push(() => broker.close());
  say('all serve; the producer begins');

  const options = { brokers: cluster.brokers, registry: cluster.registryUrl, out: files.sent, rate: values.rate };
  const longest = outageS === null ? '40' : '300';
  const args = Object.entries({ ...options, seed: values.seed, longest }).flatMap(([key, value]) => [
    `--${key}`,
    value,
  ]);
  const producer = startTypescript('./producer.ts', import.meta.url, args);
  producer.stderr.pipe(process.stderr);
  const produced = new Promise<number | null>((resolve) => producer.on('exit', resolve));
  closing.push(async () => producer.kill('SIGKILL'));

  const onMoment = (text: string): void => {
    moments.push(text);
    say(text);
  };
  if (outageS === null) {
    const random = createRandom(`${values.seed} faults`);
    rows.push(...Object.entries(await runFaults({ cluster, workers, random, kills: Number(values.kills), onMoment })));
  } else {
    const outage = await runFrontOutage({ cluster, workers, broker, outageS, onMoment });
    rows.push(...Object.entries(outage.figures));
    wrong.push(...outage.wrong);
  }

  producer.stdin.end();
  if ((await produced) !== 0) throw new Error('the producer failed');
  say('the producer has sent all of it');
  await untilDrained(broker, DRAIN_MS);
  say('drained');
  const read = await workers.recordsRead();
  const records = await recordsIn(broker);
  const outcome = await checkOutcome(cluster, broker, files);
  wrong.push(...outcome.wrong);
  const codes = await workers.stop();
  if (codes.some((code) => code !== 0)) wrong.push(`the workers ended with ${codes.join(', ')}`);
  rows.push(['processes of workers', workers.starts()], ['ended by themselves, by exit code', endings(workers.ended)]);
  rows.push(['offsets of rollout.steps', records], ['records read again, at least', Math.max(0, read - records)]);
  rows.push(['trajectories', outcome.trajectories], ['seconds', Math.round((performance.now() - began) / 1000)]);
} catch (error) {
  wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
for (const close of closing.reverse()) await close().catch((error: unknown) => wrong.push(`closing: ${error}`));

for (const [name, value] of rows) process.stdout.write(`${name.padEnd(34)}${value}\n`);
for (const line of wrong.slice(0, 50)) process.stdout.write(`WRONG ${line}\n`);
if (wrong.length > 0) {
  process.stdout.write(`${wrong.length} wrong; seed ${values.seed}; ${moments.join('; ')}\n`);
  process.stdout.write(
    `sent: ${(await readFile(files.sent, 'utf8').catch(() => '')).split('\n').length - 1} attempts\n`,
  );
} else process.stdout.write('each trajectory is ready once and in SQL once, as it was sent; the accounting balances\n');
if (values.keep || wrong.length > 0) process.stdout.write(`kept: ${folder}\n`);
else await rm(folder, { recursive: true, force: true });
process.exit(wrong.length > 0 ? 1 : 0);
