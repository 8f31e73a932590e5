import type { PreparedRecord } from '../prepared-record.ts';
import { encodeBatch } from './encode-batch.ts';
import type { Nodes } from './nodes.ts';
import type { ProducerIdentity } from './requests/init-producer-id.ts';
import { type EncodedBatch, produceRequest } from './requests/produce.ts';
import { errorOf, sendRequest } from './send-request.ts';
import type { Topics } from './topics.ts';

/** Records of one partition that are written together or not at all. */
export interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly PreparedRecord[];
  /** Of its first record, within what the producer has written to the partition. */
  readonly sequence: number;
}

/** The offset of the first record, or why the batch was refused or its outcome is unknown. */
export type Produced = { readonly offset: number } | { readonly error: unknown };

/** Sends at most one batch a partition, to all leaders at once; answers in the order given. */
export async function produceBatches(
  deps: { readonly nodes: Nodes; readonly topics: Topics },
  producer: ProducerIdentity & { readonly transactionalId: string | null },
  batches: readonly Batch[],
): Promise<Produced[]> {
  const produced = new Map<string, Produced>();
  const byLeader = new Map<string, { readonly send: () => Promise<void>; readonly batches: Batch[] }>();
  const fail = (own: readonly Batch[], error: unknown): void => {
    for (const { topic, partition } of own) {
      deps.topics.forget(topic);
      produced.set(keyOf(topic, partition), { error });
    }
  };

  for (const batch of batches) {
    try {
      const leader = await deps.topics.leaderOf(batch.topic, batch.partition);
      const id = `${leader.host}:${leader.port}`;
      const known = byLeader.get(id);
      if (known !== undefined) {
        known.batches.push(batch);
        continue;
      }
      const own = [batch];
      const send = async (): Promise<void> => {
        const node = await deps.nodes.at(leader);
        const answer = await sendRequest(node, produceRequest(producer.transactionalId, own.map(encode)));
        for (const { topic, partition, errorCode, baseOffset } of answer.partitions) {
          const error = errorOf(errorCode);
          if (error === null) produced.set(keyOf(topic, partition), { offset: baseOffset });
          else fail([{ topic, partition, records: [], sequence: 0 }], error);
        }
      };
      byLeader.set(id, { send, batches: own });
    } catch (error) {
      fail([batch], error);
    }
  }

  function encode({ topic, partition, records, sequence }: Batch): EncodedBatch {
    const transactional = producer.transactionalId !== null;
    return { topic, partition, bytes: encodeBatch(records, { ...producer, sequence, transactional }, Date.now()) };
  }

  await Promise.all(
    [...byLeader.values()].map(({ send, batches: own }) => send().catch((error: unknown) => fail(own, error))),
  );
  return batches.map(
    ({ topic, partition }) =>
      produced.get(keyOf(topic, partition)) ?? { error: new Error(`no answer for ${topic}/${partition}`) },
  );
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
