import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';
import { RollstreamError } from '../../errors.ts';
import { partitionOf } from '../partition-of.ts';
import type { Broker, NewRecord, Transaction, TransactionalProducer } from '../port.ts';
import { type PreparedRecord, prepareRecord } from '../prepared-record.ts';
import type { Appender } from './appender.ts';
import { checkCommit, checkName } from './check-commit.ts';
import { checkLogFolder } from './check-log-folder.ts';
import { createCommitQueue } from './commit-queue.ts';
import { dropOldTombstones } from './drop-old-tombstones.ts';
import { ensureTopics } from './ensure-topics.ts';
import { createGroups } from './groups.ts';
import { createPartitions, type Topic } from './partitions.ts';
import { createReader } from './reader.ts';
import { openTables } from './tables.ts';

export interface EmbeddedBrokerOptions {
  /** The log's own folder; created if missing. One process at a time: take the data folder first (takeDataFolder). */
  readonly folder: string;
  /** The clock of append times. */
  readonly now?: () => number;
  /** Bytes of key, value and headers of one record. */
  readonly maxRecordBytes?: number;
}

interface Placed {
  readonly topic: Topic;
  readonly partition: number;
  readonly record: PreparedRecord;
}

const DEFAULT_MAX_RECORD_BYTES = 64 * 1024 * 1024;
if (MOST_RECORD_BYTES > DEFAULT_MAX_RECORD_BYTES) throw new Error('bug: what Kafka takes is refused here');
/** What a record costs beside its payload, roughly; it also counts changes without records. */
const OVERHEAD_BYTES = 64;

/** The log in one process, on LMDB: what a transaction writes, offsets and epochs included, is one LMDB transaction. */
export async function openEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<Broker> {
  const maxRecordBytes = options.maxRecordBytes ?? DEFAULT_MAX_RECORD_BYTES;
  const now = options.now ?? Date.now;
  await checkLogFolder(options.folder);
  const tables = openTables(options.folder);
  const partitions = createPartitions(tables);
  const queue = createCommitQueue({ folder: options.folder, now }, { tables, partitions });
  await dropOldTombstones(tables, queue, now());
  const reader = createReader(tables, partitions);
  const groups = createGroups(reader, partitions);
  let closing: Promise<void> | null = null;
  /** Later than `closing`: lanes may still read and commit while they end. */
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new RollstreamError('RS_CLOSED', 'the log is closed');
  }

  function place(topicName: string, record: NewRecord): Placed {
    const topic = partitions.topic(topicName);
    const prepared = prepareRecord(topicName, record, maxRecordBytes);
    if (topic.compacted && prepared.key === null) {
      throw new RollstreamError('RS_INPUT_REFUSED', `topic ${topicName} is compacted: its records need a key`);
    }
    const partition = record.partition ?? (prepared.key === null ? 0 : partitionOf(prepared.key, topic.partitions));
    partitions.partition(topic, partition);
    return { topic, partition, record: prepared };
  }

  function bytesOf(records: readonly Placed[]): number {
    return records.reduce((sum, { record }) => sum + record.payloadBytes + OVERHEAD_BYTES, OVERHEAD_BYTES);
  }

  function appendAll(appender: Appender, records: readonly Placed[]) {
    return records.map(({ topic, partition, record }) => appender.append(topic, partition, record));
  }

  function assertEpoch(id: string, epoch: number): void {
    const current = tables.producers.get(id);
    if (current !== epoch) {
      throw new RollstreamError('RS_FENCED', `another producer has taken ${id}: this one is fenced`, {
        facts: { id, epoch, current: current ?? -1 },
      });
    }
  }

  async function run(id: string, epoch: number, { records, commit }: Transaction): Promise<void> {
    const placed = records.map(({ topic, record }) => place(topic, record));
    const commitKey = commit && [commit.group, checkCommit(commit, partitions).id, commit.partition];
    await queue.submit(bytesOf(placed), (appender) => {
      assertEpoch(id, epoch);
      appendAll(appender, placed);
      if (commit && commitKey) {
        tables.commits.put(commitKey, { offset: commit.offset, metadata: commit.metadata });
      }
    });
  }

  async function transactional(id: string): Promise<TransactionalProducer> {
    checkName('transactional id', id);
    const epoch = await queue.submit(OVERHEAD_BYTES, () => {
      const next = (tables.producers.get(id) ?? -1) + 1;
      tables.producers.put(id, next);
      return next;
    });
    let closed = false;
    return {
      async run(transaction) {
        if (closed) throw new RollstreamError('RS_CLOSED', `the producer ${id} is closed`);
        await run(id, epoch, transaction);
      },
      async close() {
        closed = true;
      },
    };
  }

  async function close(): Promise<void> {
    // Lanes first: what they still have to commit is committed.
    await groups.close();
    closed = true;
    reader.close();
    await queue.close();
    await tables.root.close();
  }

  return {
    async ensureTopics(topics) {
      assertOpen();
      await ensureTopics(topics, { tables, partitions, queue });
    },
    async partitionsOf(topic) {
      return partitions.topic(topic).partitions;
    },
    async bounds(topic, partition) {
      return partitions.partition(partitions.topic(topic), partition).bounds;
    },
    async append(topic, records) {
      partitions.topic(topic);
      const placed = records.map((record) => place(topic, record));
      return queue.submit(bytesOf(placed), (appender) => appendAll(appender, placed));
    },
    read: (topic, partition, offset, limits) => reader.read(topic, partition, offset, limits),
    async join(group, topic, work) {
      if (closing !== null) throw new RollstreamError('RS_CLOSED', 'the log is closing');
      checkName('group', group);
      return groups.join(group, topic, work);
    },
    async committed(group, topicName, partition) {
      assertOpen();
      const topic = partitions.topic(topicName);
      partitions.partition(topic, partition);
      return tables.commits.get([group, topic.id, partition]) ?? null;
    },
    transactional,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
