import { RollstreamError } from '../../errors.ts';
import type { Transaction, TransactionalProducer } from '../port.ts';
import { createCoordinator } from './coordinator.ts';
import { type KafkaOptions, TRANSACTION_TIMEOUT_MS } from './kafka-options.ts';
import { createNodes } from './nodes.ts';
import { persist } from './persist.ts';
import { batchLength, type PlacedRecord, placeRecords } from './place-records.ts';
import { type Batch, produceBatches } from './produce-batches.ts';
import { describeTransactionRequest } from './requests/describe-transaction.ts';
import { initProducerIdRequest, type ProducerIdentity } from './requests/init-producer-id.ts';
import { sendRequest } from './send-request.ts';
import { isPassing, toBrokerError } from './to-broker-error.ts';
import type { Topics } from './topics.ts';

/** Kafka's default of offset.metadata.max.bytes. */
const MAX_METADATA_BYTES = 4096;
/** Below the time-out after which the coordinator aborts, so that giving up is ours. */
const ATTEMPT_MS = 0.8 * TRANSACTION_TIMEOUT_MS;
const OPEN_MS = 30_000;
const FOREVER = Number.POSITIVE_INFINITY;
const STILL_ENDING = /^Prepare|^Ongoing$/;

/**
 * Begin ▸ produce ▸ offset and metadata ▸ end.
 *
 * | what fails                        | what is done                                                                     |
 * |-----------------------------------|----------------------------------------------------------------------------------|
 * | before the end was asked for      | aborted by raising its own epoch; the error says that nothing was written        |
 * | the answer to the end is lost     | the end is asked for again until it is answered: ending twice is ending once     |
 * | another producer took the id      | RS_FENCED, and never again: if the end was asked for, the heir reads what became |
 */
export async function openTransactionalProducer(
  deps: { readonly options: KafkaOptions; readonly topics: Topics; readonly maxRecordBytes: number },
  id: string,
): Promise<TransactionalProducer> {
  const nodes = createNodes(deps.options);
  const coordinator = createCoordinator(nodes, 'transaction', id);
  const groups = new Map<string, ReturnType<typeof createCoordinator>>();
  const sequences = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();
  /** An attempt failed; its transaction may still be open. */
  let failed = false;
  let closed = false;

  async function takeId(own: ProducerIdentity | null, deadline: number): Promise<ProducerIdentity> {
    const ask = async () =>
      sendRequest(await coordinator.node(), initProducerIdRequest(id, TRANSACTION_TIMEOUT_MS, own));
    return persist(deadline, ask, coordinator.forget);
  }

  let producer: ProducerIdentity;
  try {
    producer = await takeId(null, performance.now() + OPEN_MS);
  } catch (error) {
    await nodes.close();
    throw toBrokerError(error, `taking the transactional id ${id}`);
  }

  const scope = () => ({ transactionalId: id, producerId: producer.id, producerEpoch: producer.epoch });

  /** Aborts what is open and begins with new sequences; RS_FENCED if the id is another's by now. */
  async function raiseEpoch(deadline: number): Promise<void> {
    producer = await takeId(producer, deadline);
    sequences.clear();
    failed = false;
  }

  async function writeRecords(placed: readonly PlacedRecord[], deadline: number): Promise<void> {
    const partitions = new Map<string, PlacedRecord[]>();
    for (const one of placed) {
      const key = `${one.topic}/${one.partition}`;
      const own = partitions.get(key);
      if (own === undefined) partitions.set(key, [one]);
      else own.push(one);
    }
    const byTopic = new Map<string, number[]>();
    for (const [first] of partitions.values()) {
      if (first === undefined) continue;
      byTopic.set(first.topic, [...(byTopic.get(first.topic) ?? []), first.partition]);
    }
    const topics = [...byTopic].map(([topic, own]) => ({ topic, partitions: own }));
    await persist(
      deadline,
      async () => (await coordinator.node()).addPartitionsToTxn({ ...scope(), topics }),
      coordinator.forget,
    );
    while (partitions.size > 0) {
      const batches: Batch[] = [];
      for (const [key, own] of partitions) {
        const taken = own.splice(0, batchLength(own, 0));
        if (own.length === 0) partitions.delete(key);
        const sequence = sequences.get(key) ?? 0;
        sequences.set(key, sequence + taken.length);
        const [{ topic, partition } = { topic: '', partition: 0 }] = taken;
        batches.push({ topic, partition, sequence, records: taken.map(({ record }) => record) });
      }
      await writeBatches(batches, deadline);
    }
  }

  async function writeBatches(batches: readonly Batch[], deadline: number): Promise<void> {
    let left = batches;
    await persist(deadline, async () => {
      const answers = await produceBatches({ nodes, topics: deps.topics }, { ...producer, transactionalId: id }, left);
      const errors = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []));
      left = left.filter((_, n) => 'error' in (answers[n] ?? {}));
      const worst = errors.find((error) => !isPassing(error)) ?? errors[0];
      if (worst !== undefined) throw worst;
    });
  }

  async function commitOffset(commit: NonNullable<Transaction['commit']>, deadline: number): Promise<void> {
    const { group, topic, partition, offset, metadata } = commit;
    const known = groups.get(group) ?? createCoordinator(nodes, 'group', group);
    groups.set(group, known);
    await persist(
      deadline,
      async () => (await coordinator.node()).addOffsetsToTxn({ ...scope(), groupId: group }),
      coordinator.forget,
    );
    const topics = [{ topic, partitions: [{ partition, offset, metadata }] }];
    await persist(
      deadline,
      async () => (await known.node()).txnOffsetCommit({ ...scope(), groupId: group, topics }),
      known.forget,
    );
  }

  /** Until it is answered, however long: what is not known must not be reported. */
  async function end(): Promise<void> {
    let asked = false;
    const ask = async () => {
      if (closed && asked) throw new RollstreamError('RS_CLOSED', `${id} was closed; its last outcome is unknown`);
      asked = true;
      await (await coordinator.node()).endTxn({ ...scope(), transactionResult: true });
    };
    await persist(FOREVER, ask, coordinator.forget);
    // Committed. Its markers are being written: once they are, readers see it and the next one may begin.
    const deadline = performance.now() + ATTEMPT_MS;
    const ended = async () => {
      const state = await sendRequest(await coordinator.node(), describeTransactionRequest(id));
      if (STILL_ENDING.test(state)) throw new RollstreamError('RS_BROKER_UNREACHABLE', `${id} is in ${state}`);
    };
    await persist(deadline, ended, coordinator.forget).catch(() => undefined);
  }

  async function run({ records, commit }: Transaction): Promise<void> {
    if (closed) throw new RollstreamError('RS_CLOSED', `the producer ${id} is closed`);
    const deadline = performance.now() + ATTEMPT_MS;
    try {
      const placed = await placeRecords(deps.topics, records, deps.maxRecordBytes);
      if (commit !== undefined) await checkCommit(deps.topics, commit);
      if (placed.length === 0 && commit === undefined) return;
      if (failed) await raiseEpoch(deadline);
      failed = true;
      if (placed.length > 0) await writeRecords(placed, deadline);
      if (commit !== undefined) await commitOffset(commit, deadline);
    } catch (error) {
      const mapped = toBrokerError(error, `the transaction of ${id}`);
      // Readers wait for an open transaction: abort it now, or else when this one runs again.
      if (failed && mapped.code !== 'RS_FENCED') await raiseEpoch(performance.now()).catch(() => undefined);
      throw mapped;
    }
    try {
      await end();
      failed = false;
    } catch (error) {
      throw toBrokerError(error, `ending the transaction of ${id}`);
    }
  }

  return {
    run(transaction) {
      const result = last.then(() => run(transaction));
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      closed = true;
      await last;
      await nodes.close();
    },
  };
}

async function checkCommit(topics: Topics, commit: NonNullable<Transaction['commit']>): Promise<void> {
  const { group, topic, partition, offset, metadata } = commit;
  await topics.leaderOf(topic, partition);
  const bytes = Buffer.byteLength(metadata);
  if (bytes > MAX_METADATA_BYTES) {
    throw new RollstreamError(
      'RS_TOO_LARGE',
      `the metadata of a commit has ${bytes} bytes; the limit is ${MAX_METADATA_BYTES}`,
      { facts: { group, topic, partition, bytes } },
    );
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new RollstreamError('RS_OFFSET_OUT_OF_RANGE', `${offset} cannot be committed: it is no offset`);
  }
}
