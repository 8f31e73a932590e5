import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../src/registry/local/open-local-registry.ts';
import { replayEmitContract } from '../contract/replay-emit.ts';

replayEmitContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-emit-'));
  const options = { brokers: [inject('services').kafka] };
  const brokers = [await openKafkaBroker(options), await openKafkaBroker(options)] as const;
  return {
    brokers,
    codecs: createCodecs(await openLocalRegistry({ folder })),
    prefix: `emit-${randomUUID()}.`,
    async close() {
      for (const broker of brokers) await broker.close();
      await rm(folder, { recursive: true });
    },
  };
});
