import type { ConnectionOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { KafkaOptions } from '../broker/kafka/kafka-options.ts';
import type { RemoteStoreOptions } from '../clickhouse/remote-client.ts';
import type { ServicesConfig, TlsFiles } from '../config/services-config.ts';
import type { ConfluentRegistryOptions } from '../registry/confluent/registry-http.ts';

/** What each adapter is opened with. */
export interface ServiceOptions {
  readonly kafka: KafkaOptions;
  readonly registry: ConfluentRegistryOptions;
  readonly clickhouse: RemoteStoreOptions;
}

export function serviceOptions({ kafka, registry, clickhouse }: ServicesConfig, log: Logger): ServiceOptions {
  const { ca, cert, key } = clickhouse.tls;
  return {
    kafka: {
      brokers: kafka.brokers,
      clientId: kafka.clientId,
      log,
      ...(kafka.tls === null ? {} : { tls: connectionOptions(kafka.tls) }),
      ...(kafka.sasl === null ? {} : { sasl: kafka.sasl }),
      ...(kafka.replicationFactor === null ? {} : { replicationFactor: kafka.replicationFactor }),
    },
    registry: {
      url: registry.url,
      tls: connectionOptions(registry.tls),
      ...(registry.username === null ? {} : { username: registry.username }),
      ...(registry.password === null ? {} : { password: registry.password }),
    },
    clickhouse: {
      url: clickhouse.url,
      user: clickhouse.user,
      password: clickhouse.password,
      log: (message) => log.info(message),
      ...(ca === null ? {} : { tls: { ca, ...(cert === null || key === null ? {} : { cert, key }) } }),
    },
  };
}

function connectionOptions({ ca, cert, key }: TlsFiles): ConnectionOptions {
  return { ...(ca === null ? {} : { ca }), ...(cert === null ? {} : { cert }), ...(key === null ? {} : { key }) };
}
