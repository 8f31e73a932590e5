import type { Nodes } from './nodes.ts';
import { toBrokerError, typeOf } from './to-broker-error.ts';
import type { Setting } from './topic-settings.ts';

export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  /** null: as the cluster says. */
  readonly replicationFactor: number | null;
  readonly settings: readonly Setting[];
}

const TIMEOUT_MS = 20_000;
const CLUSTER_DEFAULT = -1;

/** Creates them; one that somebody else created at the same moment is none of ours, and no error. */
export async function createNewTopics(topics: readonly NewTopic[], nodes: Nodes): Promise<void> {
  if (topics.length === 0) return;
  try {
    const node = await nodes.any();
    await node.createTopics({
      timeout: TIMEOUT_MS,
      topics: topics.map(({ name, partitions, replicationFactor, settings }) => ({
        topic: name,
        numPartitions: partitions,
        replicationFactor: replicationFactor ?? CLUSTER_DEFAULT,
        configEntries: settings,
      })),
    });
  } catch (error) {
    const errors: unknown[] = error instanceof Error && 'errors' in error ? [error.errors].flat() : [error];
    const failed = errors.find((one) => typeOf(one) !== 'TOPIC_ALREADY_EXISTS');
    if (failed !== undefined) throw toBrokerError(failed, 'creating topics');
  }
}
