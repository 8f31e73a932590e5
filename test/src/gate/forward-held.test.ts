import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { forwardHeldContract } from '../../contract/forward-held.ts';

let count = 0;

forwardHeldContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-held-'));
  const broker = await openEmbeddedBroker({ folder, now: Date.now });
  return {
    brokers: [broker, broker],
    codecs: createCodecs(await openLocalRegistry({ folder })),
    prefix: `p${count++}.`,
    async close() {
      await broker.close();
      await rm(folder, { recursive: true });
    },
  };
});
