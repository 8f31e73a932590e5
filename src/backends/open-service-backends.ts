import { openKafkaBroker } from '../broker/kafka/open-kafka-broker.ts';
import { refuseFaults } from '../broker/kafka/refuse-faults.ts';
import { openTopicAdmin } from '../broker/kafka/topic-admin.ts';
import { openRemoteStore } from '../clickhouse/remote-client.ts';
import type { Config } from '../config/config.ts';
import type { ServicesConfig } from '../config/services-config.ts';
import { openConfluentRegistry } from '../registry/confluent/open-confluent-registry.ts';
import type { BackendDeps, Backends } from './backends.ts';
import { serviceOptions } from './service-options.ts';
import { wantedTopics } from './wanted-topics.ts';

/** Kafka, a schema registry and ClickHouse. Rejects when Kafka or ClickHouse does not answer. */
export async function openServiceBackends(
  config: Config,
  services: ServicesConfig,
  deps: BackendDeps,
): Promise<Backends> {
  const options = serviceOptions(services, deps.log);
  const broker = await openKafkaBroker({ ...options.kafka, onRebalance: deps.recorder.rebalanced });
  deps.onOpened(() => broker.close());
  const registry = openConfluentRegistry(options.registry);
  const store = await openRemoteStore({ ...options.clickhouse, readerLimits: config.limits.query });
  deps.onOpened(() => store.close());
  return {
    broker,
    registry,
    store,
    async prepare() {
      // Workers that start together apply the same statements, each of which may run twice.
      await store.migrate();
      await prepareTopics(config, services, deps);
    },
    // A command of a newer build must not change the tables under workers of an older one.
    check: () => store.migrate({ onlyCheck: true }),
  };
}

/** Creates what is missing. What exists and could lose records is refused, not changed: `topics apply` is asked for by a person. */
async function prepareTopics(config: Config, services: ServicesConfig, deps: BackendDeps): Promise<void> {
  const admin = await openTopicAdmin(serviceOptions(services, deps.log).kafka);
  try {
    const plan = await admin.plan(wantedTopics(config, services));
    refuseFaults(plan);
    const missing = plan.filter(({ action }) => action === 'create');
    await admin.apply(missing);
    for (const { topic, partitions } of missing) deps.log.info({ topic, partitions }, 'created a topic');
  } finally {
    await admin.close();
  }
}
