import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGrantKeeper } from '../../../src/admission/kept-grants.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';

const topic = topicNames('').state;
let folder: string;
let broker: Broker;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-grants-'));
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  await broker.ensureTopics(topicSpecs('', 1));
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

test('the last that was kept of each run is found by the next process, beside what lanes keep there', async () => {
  const granted = (count: number) => ({ grants: [{ env: null, count, leftMs: 1000 }], begun: { calc: count } });
  const keeper = createGrantKeeper(broker, topic);
  expect(await keeper.load()).toEqual(new Map());
  await broker.append(topic, [{ key: 'rollstream/rollout.steps/0', value: Buffer.from('v1.AA') }]);
  await keeper.keep('a', granted(1));
  await keeper.keep('b/ü', granted(2));
  await keeper.keep('a', granted(3));
  await broker.close();
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  expect(await createGrantKeeper(broker, topic).load()).toEqual(
    new Map([
      ['b/ü', granted(2)],
      ['a', granted(3)],
    ]),
  );
});
