import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { topicNames } from '../../src/config/topics.ts';
import { readReadyTopic } from '../chaos/read-ready-topic.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { gateScenario } from '../e2e/gate-scenario.ts';
import { GATE_KEYS, type GateWorker, gatePolicy, recordsOf, startWorker } from '../e2e/gate-world.ts';
import { endPrograms } from '../e2e/program.ts';

let folder: string;
let front: FrontProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-gate-drift-'));
  front = await startFront({ writable: true });
});
afterEach(async () => {
  await endPrograms();
  await front.remove();
  await rm(folder, { recursive: true, force: true });
});

it('a run that drifts is held and released, in order and once, whatever worker is killed; a preflight holds a bad run and lets a good one through', async () => {
  const services = inject('services');
  const prefix = `gate-${randomUUID()}.`;
  const policy = join(folder, 'policy.yaml');
  const config = join(folder, 'rollstream.yaml');
  const shipped = await readFile(packageFile('processors', 'decide', 'policies', 'default.yaml'), 'utf8');
  await writeFile(policy, gatePolicy(shipped));
  const keys = {
    ...{ ...GATE_KEYS, policy_file: policy, partitions: 4, topic_prefix: prefix },
    ...{ 'kafka.brokers': [services.kafka], 'registry.url': services.registry, 'clickhouse.url': front.url },
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(keys));
  const args = ['--config', config];
  // The first makes the topics.
  let workers: GateWorker[] = [await startWorker(args)];
  workers.push(...(await Promise.all([startWorker(args), startWorker(args)])));
  await gateScenario({
    folder,
    args,
    workers: () => workers,
    async kill(worker) {
      workers = workers.filter((one) => one !== worker);
      worker.child.kill('SIGKILL');
      await worker.ended;
    },
    async topics() {
      for (const { child } of workers) child.kill('SIGTERM');
      for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
      const broker = await openKafkaBroker({ brokers: [services.kafka], clientId: 'gate-drift' });
      const names = topicNames(prefix);
      const found = { held: await recordsOf(broker, names.held), ready: await recordsOf(broker, names.ready) };
      await broker.close();
      // By clients that are not ours, too.
      const cluster = { brokers: services.kafka, registryUrl: services.registry };
      const theirs = await readReadyTopic(cluster, names.ready, found.ready.at(-1)?.offset ?? -1);
      const unitsOf = theirs.map(({ run_id, epoch, rollout_id }) => `${run_id}/${epoch}/r/${rollout_id}`);
      expect(unitsOf).toEqual(found.ready.map(({ key }) => key?.toString()));
      return found;
    },
  });
}, 600_000);
