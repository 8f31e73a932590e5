import { RollstreamError } from '../../errors.ts';
import type { KafkaNode } from './kafkajs.ts';
import type { Address, Nodes } from './nodes.ts';
import { persist } from './persist.ts';
import { toBrokerError, typeOf } from './to-broker-error.ts';

/** What is known of topics: their partition counts, fixed for life, and where their leaders are, until they move. */
export interface Topics {
  /** RS_UNKNOWN_TOPIC. */
  partitionsOf(topic: string): Promise<number>;
  /** RS_UNKNOWN_TOPIC, for a partition out of range too. */
  leaderOf(topic: string, partition: number): Promise<Address>;
  /** Its leaders may have moved. */
  forget(topic: string): void;
}

/** Connections that idled out and leaders that move come back within this. */
const PATIENCE_MS = 2_000;

export function createTopics(nodes: Nodes): Topics {
  const leaders = new Map<string, readonly Address[]>();
  const asking = new Map<string, Promise<readonly Address[]>>();

  async function ask(topic: string): Promise<readonly Address[]> {
    try {
      const find = async () => leadersOf(await nodes.any(), topic);
      // Of a topic that is unknown every node knows it: only connections and leaders may come back.
      const found = await persist(performance.now() + PATIENCE_MS, find, throwUnknown);
      leaders.set(topic, found);
      return found;
    } catch (error) {
      throw toBrokerError(error, `topic ${topic}`);
    } finally {
      asking.delete(topic);
    }
  }

  async function of(topic: string): Promise<readonly Address[]> {
    const known = leaders.get(topic);
    if (known !== undefined) return known;
    let answer = asking.get(topic);
    if (answer === undefined) {
      answer = ask(topic);
      asking.set(topic, answer);
    }
    return answer;
  }

  return {
    async partitionsOf(topic) {
      return (await of(topic)).length;
    },
    async leaderOf(topic, partition) {
      const found = await of(topic);
      const leader = found[partition];
      if (leader === undefined) {
        throw new RollstreamError(
          'RS_UNKNOWN_TOPIC',
          `topic ${topic} has no partition ${partition}: it has ${found.length}`,
          { facts: { topic, partition } },
        );
      }
      return leader;
    },
    forget(topic) {
      leaders.delete(topic);
    },
  };
}

async function leadersOf(node: KafkaNode, topic: string): Promise<readonly Address[]> {
  const { brokers, topicMetadata } = await node.metadata([topic]);
  const partitions = topicMetadata.find((found) => found.topic === topic)?.partitionMetadata ?? [];
  return [...partitions]
    .sort((a, b) => a.partitionId - b.partitionId)
    .map(({ partitionId, leader }) => {
      const at = brokers.find(({ nodeId }) => nodeId === leader);
      if (at === undefined) {
        throw new RollstreamError('RS_BROKER_UNREACHABLE', `${topic}/${partitionId} has no leader at present`);
      }
      return { host: at.host, port: at.port };
    });
}

function throwUnknown(error: unknown): void {
  if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') throw toBrokerError(error, 'a topic');
}
