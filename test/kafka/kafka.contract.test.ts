import { inject } from 'vitest';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import { brokerContract } from '../contract/broker.ts';

const options = { brokers: [inject('services').kafka], maxRecordBytes: 1_000_000 };

brokerContract('Kafka', async () => {
  let broker = await openKafkaBroker(options);
  return {
    broker,
    maxRecordBytes: options.maxRecordBytes,
    async reopen() {
      await broker.close();
      broker = await openKafkaBroker(options);
      return broker;
    },
    cleanup: () => broker.close(),
  };
});
