import { RollstreamError } from '../../errors.ts';
import type { TopicSpec } from '../port.ts';
import { createNewTopics } from './create-topics.ts';
import type { KafkaNode } from './kafkajs.ts';
import type { Nodes } from './nodes.ts';
import { persist } from './persist.ts';
import { toBrokerError } from './to-broker-error.ts';
import { topicSettings } from './topic-settings.ts';
import type { Topics } from './topics.ts';

const TIMEOUT_MS = 20_000;
const RESOURCE_TOPIC = 2;
const CHECKED = ['cleanup.policy', 'compression.type', 'message.timestamp.type'];

/** Creates what is missing, with the settings the lanes rely on; refuses what exists with others, naming the setting. */
export async function ensureTopics(
  specs: readonly TopicSpec[],
  deps: { readonly nodes: Nodes; readonly topics: Topics; readonly replicationFactor?: number },
): Promise<void> {
  for (const spec of specs) {
    if (!Number.isInteger(spec.partitions) || spec.partitions < 1) {
      throw new RollstreamError('RS_CONFIG', `topic ${spec.name} needs at least one partition, not ${spec.partitions}`);
    }
  }
  const missing: TopicSpec[] = [];
  const existing: TopicSpec[] = [];
  for (const spec of specs) {
    const partitions = await partitionsOrNull(deps.topics, spec.name);
    if (partitions === null) missing.push(spec);
    else {
      refuseCount(spec, partitions);
      existing.push(spec);
    }
  }
  await checkSettings(existing, deps.nodes);
  if (missing.length === 0) return;
  // Its count is checked below, whoever created it.
  await createNewTopics(
    missing.map(({ name, partitions, compacted }) => ({
      name,
      partitions,
      replicationFactor: deps.replicationFactor ?? null,
      settings: topicSettings(compacted),
    })),
    deps.nodes,
  );
  for (const spec of missing) refuseCount(spec, await untilKnown(deps.topics, spec.name));
}

/** The brokers hear of a new topic one after the other. */
async function untilKnown(topics: Topics, topic: string): Promise<number> {
  const known = async (): Promise<number> => {
    const partitions = await partitionsOrNull(topics, topic);
    if (partitions !== null) return partitions;
    throw new RollstreamError('RS_BROKER_UNREACHABLE', `topic ${topic} was created, but no broker knows it yet`);
  };
  return persist(performance.now() + TIMEOUT_MS, known);
}

function refuseCount(spec: TopicSpec, partitions: number): void {
  if (partitions === spec.partitions) return;
  throw new RollstreamError(
    'RS_CONFIG',
    `topic ${spec.name} has ${partitions} partitions, which cannot become ${spec.partitions}`,
    { facts: { topic: spec.name, partitions, asked: spec.partitions } },
  );
}

async function checkSettings(specs: readonly TopicSpec[], nodes: Nodes): Promise<void> {
  if (specs.length === 0) return;
  const resources = specs.map(({ name }) => ({ type: RESOURCE_TOPIC, name, configNames: CHECKED }));
  const answer = await describe(await nodes.any(), resources);
  for (const spec of specs) {
    const entries = answer.resources.find(({ resourceName }) => resourceName === spec.name)?.configEntries ?? [];
    const settingOf = (name: string) => entries.find(({ configName }) => configName === name)?.configValue ?? '';
    const isCompacted = settingOf('cleanup.policy').split(',').includes('compact');
    if (isCompacted !== spec.compacted)
      refuse(spec.name, 'cleanup.policy', settingOf('cleanup.policy'), spec.compacted ? 'compact' : 'delete');
    const codec = settingOf('compression.type');
    if (/^(?:snappy|lz4|zstd)$/.test(codec)) refuse(spec.name, 'compression.type', codec, 'uncompressed');
    const times = settingOf('message.timestamp.type');
    if (times === 'CreateTime') refuse(spec.name, 'message.timestamp.type', times, 'LogAppendTime');
  }
}

async function describe(node: KafkaNode, resources: Parameters<KafkaNode['describeConfigs']>[0]['resources']) {
  try {
    return await node.describeConfigs({ resources });
  } catch (error) {
    throw toBrokerError(error, 'reading the settings of topics');
  }
}

function refuse(topic: string, setting: string, value: string, needed: string): never {
  throw new RollstreamError('RS_CONFIG', `topic ${topic} has ${setting}=${value}; it needs ${setting}=${needed}`, {
    facts: { topic, setting, value, needed },
  });
}

async function partitionsOrNull(topics: Topics, topic: string): Promise<number | null> {
  try {
    topics.forget(topic);
    return await topics.partitionsOf(topic);
  } catch (error) {
    if (error instanceof RollstreamError && error.code === 'RS_UNKNOWN_TOPIC') return null;
    throw error;
  }
}
