import type { WantedTopic } from '../broker/kafka/topic-plan.ts';
import type { Config } from '../config/config.ts';
import type { ServicesConfig } from '../config/services-config.ts';
import { topicNames, topicSpecs } from '../config/topics.ts';

/** The topics as this configuration needs them. */
export function wantedTopics({ lanes, partitionsGiven }: Config, { kafka }: ServicesConfig): WantedTopic[] {
  const names = topicNames(lanes.topicPrefix);
  // A restart reads from the oldest open unit, and twice that lies between its first record and what a late restart still needs.
  const retentionMs = 2 * lanes.deadlines.lifetimeMs + kafka.longestOutageMs;
  return topicSpecs(lanes.topicPrefix, lanes.partitions).map((spec) => ({
    ...spec,
    retentionMs: spec.keptForever === true ? 'forever' : retentionMs,
    takesAnyCount: spec.name === names.steps && !partitionsGiven,
    replicationFactor: kafka.replicationFactor,
  }));
}
