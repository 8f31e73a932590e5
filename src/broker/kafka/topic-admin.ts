import type { KafkaOptions } from './kafka-options.ts';
import { createNodes } from './nodes.ts';
import { offsetsRetention } from './offsets-retention.ts';
import { toBrokerError } from './to-broker-error.ts';
import { createTopicPlanner, type TopicPlanner } from './topic-planner.ts';
import { createTopics } from './topics.ts';

/** Topics of a cluster, for those who may change them. */
export interface TopicAdmin extends TopicPlanner {
  /** How long the commits of a group without members are kept, ms; null: the brokers do not tell. */
  offsetsRetentionMs(): Promise<number | null>;
  close(): Promise<void>;
}

/** Rejects when no broker answers. */
export async function openTopicAdmin(options: KafkaOptions): Promise<TopicAdmin> {
  const nodes = createNodes(options);
  try {
    await nodes.any();
  } catch (error) {
    await nodes.close();
    throw toBrokerError(error, `connecting to ${options.brokers.join(', ')}`);
  }
  return {
    ...createTopicPlanner({ nodes, topics: createTopics(nodes) }),
    offsetsRetentionMs: () => offsetsRetention(nodes),
    close: () => nodes.close(),
  };
}
