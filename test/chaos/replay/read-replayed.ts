import { randomUUID } from 'node:crypto';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { Kafka, logLevel } from 'kafkajs';
import type { Trajectory } from '../../../schemas/generated/trajectory.ts';

export interface ReadRecord {
  /** Header; '': it is live. */
  readonly replay: string;
  readonly trajectory: Trajectory;
}

/**
 * All that a read_committed reader of the topic gets, by clients that are not ours, with the header that says who scored it. `last`:
 * offset of its last record.
 */
export async function readReplayed(
  { brokers, registryUrl }: { readonly brokers: string; readonly registryUrl: string },
  topic: string,
  last: number,
): Promise<ReadRecord[]> {
  const registry = new SchemaRegistry({ host: registryUrl });
  const kafka = new Kafka({ brokers: [brokers], clientId: 'replay-reader', logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `replay-${randomUUID()}`, readUncommitted: false });
  const found: ReadRecord[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    consumer
      .run({
        async eachMessage({ message: { value, headers, offset } }) {
          if (value === null) throw new Error(`${topic}: no value at ${offset}`);
          const trajectory: Trajectory = await registry.decode(value);
          found.push({ replay: headers?.replay?.toString() ?? '', trajectory });
          if (Number(offset) >= last) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return found;
}
