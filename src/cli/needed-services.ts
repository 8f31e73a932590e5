import type { Config } from '../config/config.ts';
import type { ServicesConfig } from '../config/services-config.ts';
import { RollstreamError } from '../errors.ts';

/** For commands that make sense on Kafka only. */
export function neededServices({ services }: Config, command: string): ServicesConfig {
  if (services !== null) return services;
  throw new RollstreamError(
    'RS_CONFIG',
    `${command}: it is for Kafka: set kafka.brokers (an embedded pipeline sets up its own topics and schemas)`,
    { facts: { field: 'kafka.brokers' } },
  );
}
