import { RollstreamError } from '../../errors.ts';
import { createNewTopics } from './create-topics.ts';
import type { Nodes } from './nodes.ts';
import { persist } from './persist.ts';
import { alterConfigsRequest } from './requests/alter-configs.ts';
import { sendRequest } from './send-request.ts';
import { toBrokerError, typeOf } from './to-broker-error.ts';
import { type FoundTopic, type PlannedTopic, planTopic, type WantedTopic } from './topic-plan.ts';
import type { Topics } from './topics.ts';

/** Compares topics with what is wanted of them, and makes them so. */
export interface TopicPlanner {
  /** In the order of `wanted`. */
  plan(wanted: readonly WantedTopic[]): Promise<PlannedTopic[]>;
  /** Does what was planned; what is refused or kept stays as it is. */
  apply(plan: readonly PlannedTopic[]): Promise<void>;
}

const RESOURCE_TOPIC = 2;
const READ_COMMITTED = 1;
const EARLIEST = -2;
const LATEST = -1;
const KNOWN_WITHIN_MS = 20_000;
const SETTINGS = [
  'cleanup.policy',
  'message.timestamp.type',
  'compression.type',
  'max.message.bytes',
  'retention.ms',
  'retention.bytes',
  'min.insync.replicas',
  'unclean.leader.election.enable',
];

export function createTopicPlanner({
  nodes,
  topics,
}: {
  readonly nodes: Nodes;
  readonly topics: Topics;
}): TopicPlanner {
  async function planOne(wanted: WantedTopic): Promise<PlannedTopic> {
    // A topic that another worker has just created is not known to every broker.
    const describe = () => describeTopic(wanted.name, nodes, topics);
    try {
      const found = await persist(performance.now() + KNOWN_WITHIN_MS, describe, () => topics.forget(wanted.name));
      return planTopic(wanted, found);
    } catch (error) {
      throw toBrokerError(error, `topic ${wanted.name}`);
    }
  }

  async function change({ topic, settings }: PlannedTopic): Promise<void> {
    try {
      await sendRequest(await nodes.any(), alterConfigsRequest(topic, settings));
    } catch (error) {
      throw toBrokerError(error, `changing topic ${topic}`);
    }
  }

  return {
    async plan(wanted) {
      const plan: PlannedTopic[] = [];
      for (const topic of wanted) plan.push(await planOne(topic));
      return plan;
    },
    async apply(plan) {
      const missing = plan.filter(({ action }) => action === 'create');
      await createNewTopics(
        missing.map(({ topic, ...rest }) => ({ name: topic, ...rest })),
        nodes,
      );
      for (const { topic } of missing) await untilKnown(topic, topics);
      for (const planned of plan) if (planned.action === 'change') await change(planned);
    },
  };
}

/** null: there is none. */
async function describeTopic(name: string, nodes: Nodes, topics: Topics): Promise<FoundTopic | null> {
  const node = await nodes.any();
  const metadata = await node.metadata([name]).catch((error: unknown) => {
    if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return null;
    throw error;
  });
  const partitions = metadata?.topicMetadata.find(({ topic }) => topic === name)?.partitionMetadata;
  if (partitions === undefined) return null;
  const answer = await node.describeConfigs({
    resources: [{ type: RESOURCE_TOPIC, name, configNames: SETTINGS }],
  });
  const entries = answer.resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? [];
  return {
    name,
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    isEmpty: await isEmpty(name, partitions.length, nodes, topics),
    settings: new Map(entries.map(({ configName, configValue }) => [configName, configValue])),
  };
}

async function isEmpty(topic: string, partitions: number, nodes: Nodes, topics: Topics): Promise<boolean> {
  for (let partition = 0; partition < partitions; partition += 1) {
    const node = await nodes.at(await topics.leaderOf(topic, partition));
    const offsetAt = async (timestamp: number): Promise<number> => {
      const { responses } = await node.listOffsets({
        isolationLevel: READ_COMMITTED,
        topics: [{ topic, partitions: [{ partition, timestamp }] }],
      });
      return Number(responses[0]?.partitions[0]?.offset);
    };
    if ((await offsetAt(EARLIEST)) !== (await offsetAt(LATEST))) return false;
  }
  return true;
}

/** The brokers hear of a new topic one after the other. */
async function untilKnown(topic: string, topics: Topics): Promise<void> {
  const ask = async (): Promise<void> => {
    topics.forget(topic);
    try {
      await topics.leaderOf(topic, 0);
    } catch (cause) {
      if (!(cause instanceof RollstreamError) || cause.code !== 'RS_UNKNOWN_TOPIC') throw cause;
      throw new RollstreamError('RS_BROKER_UNREACHABLE', `topic ${topic} was created, but no broker knows it yet`, {
        cause,
      });
    }
  };
  await persist(performance.now() + KNOWN_WITHIN_MS, ask);
}
