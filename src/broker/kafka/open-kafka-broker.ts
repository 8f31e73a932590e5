import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';
import { RollstreamError } from '../../errors.ts';
import type { Broker, Membership, TransactionalProducer } from '../port.ts';
import { createAppender } from './appender.ts';
import { createCoordinator } from './coordinator.ts';
import { endOfRecords } from './end-of-records.ts';
import { ensureTopics } from './ensure-topics.ts';
import { joinGroup } from './join-group.ts';
import type { KafkaOptions } from './kafka-options.ts';
import { createNodes } from './nodes.ts';
import { persist } from './persist.ts';
import { createReaderPool } from './reader-pool.ts';
import { offsetFetchRequest } from './requests/offset-fetch.ts';
import { sendRequest } from './send-request.ts';
import { toBrokerError } from './to-broker-error.ts';
import { createTopics } from './topics.ts';
import { openTransactionalProducer } from './transactional-producer.ts';

const ANSWER_MS = 30_000;
const READ_COMMITTED = 1;
const EARLIEST = -2;
const LATEST = -1;
/** What DescribeTransactions needs is the newest of the requests that are used: Kafka 3.0. */
const DESCRIBE_TRANSACTIONS = 65;

/** Apache Kafka, 3.0 or later. Rejects when no broker answers. */
export async function openKafkaBroker(options: KafkaOptions): Promise<Broker> {
  const maxRecordBytes = options.maxRecordBytes ?? MOST_RECORD_BYTES;
  const nodes = createNodes(options);
  const topics = createTopics(nodes);
  const shared = { options, topics, maxRecordBytes };
  const pool = createReaderPool(shared);
  const appender = createAppender(shared);
  const memberships = new Set<Membership>();
  const producers = new Set<TransactionalProducer>();
  let closing: Promise<void> | null = null;
  /** Later than `closing`: lanes may still read and commit while they end. */
  let closed = false;

  try {
    const { versions } = await nodes.any();
    if (versions?.[DESCRIBE_TRANSACTIONS] === undefined) {
      throw new RollstreamError('RS_CONFIG', 'the Kafka brokers are older than 3.0');
    }
  } catch (error) {
    await nodes.close();
    throw toBrokerError(error, `connecting to ${options.brokers.join(', ')}`);
  }

  function assertOpen(): void {
    if (closed) throw new RollstreamError('RS_CLOSED', 'the broker is closed');
  }

  async function offsetAt(topic: string, partition: number, timestamp: number): Promise<number> {
    const ask = async (): Promise<number> => {
      const node = await nodes.at(await topics.leaderOf(topic, partition));
      const { responses } = await node.listOffsets({
        isolationLevel: READ_COMMITTED,
        topics: [{ topic, partitions: [{ partition, timestamp }] }],
      });
      return Number(responses[0]?.partitions[0]?.offset);
    };
    try {
      return await persist(performance.now() + ANSWER_MS, ask, () => topics.forget(topic));
    } catch (error) {
      throw toBrokerError(error, `the bounds of ${topic}/${partition}`);
    }
  }

  async function close(): Promise<void> {
    // Lanes first: what they still have to commit is committed.
    await Promise.all([...memberships].map((membership) => membership.leave()));
    closed = true;
    await Promise.all([...producers].map((producer) => producer.close()));
    await pool.close();
    await appender.close();
    await nodes.close();
  }

  return {
    async ensureTopics(specs) {
      assertOpen();
      const { replicationFactor } = options;
      await ensureTopics(specs, { nodes, topics, ...(replicationFactor === undefined ? {} : { replicationFactor }) });
    },
    async partitionsOf(topic) {
      assertOpen();
      return topics.partitionsOf(topic);
    },
    async bounds(topic, partition) {
      assertOpen();
      await topics.leaderOf(topic, partition);
      const [start, end] = await Promise.all([
        offsetAt(topic, partition, EARLIEST),
        offsetAt(topic, partition, LATEST),
      ]);
      return {
        start,
        end: await pool.use(topic, partition, (reader) =>
          endOfRecords((offset, limits) => reader.read(offset, limits), start, end),
        ),
      };
    },
    async append(topic, records) {
      assertOpen();
      return appender.append(topic, records);
    },
    async read(topic, partition, offset, limits) {
      assertOpen();
      await topics.leaderOf(topic, partition);
      return pool.use(topic, partition, (reader) => reader.read(offset, limits));
    },
    async join(group, topic, work) {
      if (closing !== null) throw new RollstreamError('RS_CLOSED', 'the broker is closing');
      const membership = await joinGroup(shared, group, topic, work);
      memberships.add(membership);
      membership.done.catch(() => undefined).finally(() => memberships.delete(membership));
      return membership;
    },
    async committed(group, topic, partition) {
      assertOpen();
      await topics.leaderOf(topic, partition);
      const coordinator = createCoordinator(nodes, 'group', group);
      const ask = async () => sendRequest(await coordinator.node(), offsetFetchRequest(group, topic, partition));
      try {
        return await persist(performance.now() + ANSWER_MS, ask, coordinator.forget);
      } catch (error) {
        throw toBrokerError(error, `the commit of ${group}`);
      }
    },
    async transactional(id) {
      assertOpen();
      const producer = await openTransactionalProducer(shared, id);
      producers.add(producer);
      return {
        run: (transaction) => producer.run(transaction),
        async close() {
          producers.delete(producer);
          await producer.close();
        },
      };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
