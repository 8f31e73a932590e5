import { RollstreamError } from '../../errors.ts';
import type { Bounds } from '../port.ts';
import type { Tables, TopicRow } from './tables.ts';

/** A partition as readers see it. */
export interface Partition {
  /**
   * What has been committed and is on disk. LMDB shows a transaction to readers a moment before the disk has confirmed it;
   * a record read in that moment and lost in a power cut would leave effects of an offset that another record then gets.
   */
  bounds: Bounds;
  /** Called once each, when `bounds` has grown or the wait is to end. */
  readonly waiting: Set<() => void>;
}

export interface Topic extends TopicRow {
  readonly name: string;
  readonly byPartition: readonly Partition[];
}

/** The topics that exist, in memory: never deleted, added when their creation is on disk. */
export interface Partitions {
  add(name: string, row: TopicRow): void;
  /** RS_UNKNOWN_TOPIC. */
  topic(name: string): Topic;
  /** RS_UNKNOWN_TOPIC, for a partition out of range too. */
  partition(topic: Topic, partition: number): Partition;
  publish(partition: Partition, bounds: Bounds): void;
  /** Ends every wait. */
  wakeAll(): void;
}

export function createPartitions(tables: Tables): Partitions {
  const topics = new Map<string, Topic>();

  function add(name: string, row: TopicRow): void {
    const byPartition = Array.from({ length: row.partitions }, (_, partition) => ({
      bounds: tables.tails.get([row.id, partition]) ?? { start: 0, end: 0 },
      waiting: new Set<() => void>(),
    }));
    topics.set(name, { ...row, name, byPartition });
  }

  for (const { key, value } of tables.topics.getRange()) {
    add(key, value);
  }

  function wake(partition: Partition): void {
    const waiting = [...partition.waiting];
    partition.waiting.clear();
    for (const resume of waiting) resume();
  }

  return {
    add,
    topic(name) {
      const topic = topics.get(name);
      if (topic === undefined) {
        throw new RollstreamError('RS_UNKNOWN_TOPIC', `there is no topic ${name}`, { facts: { topic: name } });
      }
      return topic;
    },
    partition(topic, partition) {
      const found = topic.byPartition[partition];
      if (found === undefined) {
        throw new RollstreamError(
          'RS_UNKNOWN_TOPIC',
          `topic ${topic.name} has no partition ${partition}: it has ${topic.partitions}`,
          { facts: { topic: topic.name, partition } },
        );
      }
      return found;
    },
    publish(partition, bounds) {
      partition.bounds = bounds;
      wake(partition);
    },
    wakeAll() {
      for (const topic of topics.values()) topic.byPartition.forEach(wake);
    },
  };
}
