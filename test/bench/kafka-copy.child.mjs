/**
 * The yardstick, by a client that nobody has patched: `node kafka-copy.child.mjs BROKERS FROM TO COUNT` reads COUNT records of one
 * topic and writes them to another, and prints what it took.
 */
import { Kafka, logLevel } from 'kafkajs';

const [brokers = '', from = '', to = '', count = '0'] = process.argv.slice(2);
const kafka = new Kafka({ brokers: [brokers], clientId: 'copy', logLevel: logLevel.NOTHING });
const producer = kafka.producer();
const consumer = kafka.consumer({ groupId: to, retry: { retries: 30 } });
await producer.connect();
await consumer.connect();
await consumer.subscribe({ topic: from, fromBeginning: true });
let copied = 0;
let first = null;
await new Promise((resolve, reject) => {
  consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error));
  consumer
    .run({
      async eachBatch({ batch, heartbeat }) {
        // Joining the group is not copying.
        first ??= { at: performance.now(), cpu: process.cpuUsage() };
        const messages = batch.messages.map(({ key, value, headers }) => ({ key, value, headers }));
        await producer.send({ topic: to, acks: -1, messages });
        await heartbeat();
        copied += messages.length;
        if (copied >= Number(count)) resolve();
      },
    })
    .catch(reject);
});
const { user, system } = process.cpuUsage(first.cpu);
process.stdout.write(JSON.stringify({ wallS: (performance.now() - first.at) / 1000, cpuS: (user + system) / 1e6 }));
process.exit(0);
