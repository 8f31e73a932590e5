import { randomUUID } from 'node:crypto';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { Kafka, logLevel } from 'kafkajs';
import type { Trajectory } from '../../schemas/generated/trajectory.ts';

/** All that a read_committed reader of the topic gets, by clients that are not ours. `last`: offset of its last record. */
export async function readReadyTopic(
  { brokers, registryUrl }: { readonly brokers: string; readonly registryUrl: string },
  topic: string,
  last: number,
): Promise<Trajectory[]> {
  const registry = new SchemaRegistry({ host: registryUrl });
  const kafka = new Kafka({ brokers: [brokers], clientId: 'chaos-reader', logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `chaos-${randomUUID()}`, readUncommitted: false, retry: { retries: 30 } });
  const found: Trajectory[] = [];
  if (last < 0) return found;
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    consumer
      .run({
        async eachMessage({ message }) {
          if (message.value === null) throw new Error(`${topic}: no value at ${message.offset}`);
          found.push(await registry.decode(message.value));
          if (Number(message.offset) >= last) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return found;
}
