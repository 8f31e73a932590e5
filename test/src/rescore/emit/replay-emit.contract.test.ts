import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import { createCodecs } from '../../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../../src/registry/local/open-local-registry.ts';
import { replayEmitContract } from '../../../contract/replay-emit.ts';

let count = 0;

replayEmitContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-emit-'));
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
