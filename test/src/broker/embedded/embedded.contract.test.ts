import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import { brokerContract } from '../../../contract/broker.ts';

brokerContract('the embedded log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-log-'));
  const maxRecordBytes = 1_000_000;
  let broker = await openEmbeddedBroker({ folder, maxRecordBytes });
  return {
    broker,
    maxRecordBytes,
    async reopen() {
      await broker.close();
      broker = await openEmbeddedBroker({ folder, maxRecordBytes });
      return broker;
    },
    async cleanup() {
      await broker.close();
      await rm(folder, { recursive: true });
    },
  };
});
