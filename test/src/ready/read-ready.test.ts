import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import type { ReadyPage, ReadyQuery } from '../../../src/access/access.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { createReadReady } from '../../../src/ready/read-ready.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { sampleTrajectory } from './sample-trajectory.ts';

const topic = topicNames('').ready;
let folder: string;
let broker: Broker;
let add: (run: string) => Promise<void>;
let read: (over: Partial<ReadyQuery>) => Promise<ReadyPage>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-ready-'));
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  const codecs = createCodecs(await openLocalRegistry({ folder }));
  await broker.ensureTopics(topicSpecs('', 1));
  const encode = await codecs.encoderOf(`${topic}-value`, trajectorySchema);
  add = async (run) => {
    await broker.append(topic, [{ key: run, value: encode(sampleTrajectory({ run_id: run })), partition: 0 }]);
  };
  const readReady = createReadReady({ broker, codecs, blobs: null, topic });
  read = (over) => readReady({ from: 0, limit: 10, runId: null, groupId: null, waitMs: 0, ...over });
});
afterAll(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

const runsOf = ({ trajectories }: ReadyPage) => trajectories.map(({ run_id }) => run_id);

it('who waits for a run waits behind what is ready of others', async () => {
  await add('other');
  const waiting = read({ runId: 'mine', waitMs: 30_000 });
  await add('other');
  await add('mine');
  const page = await waiting;
  expect([runsOf(page), page.next]).toEqual([['mine'], 3]);
});

it('who does not wait, or gives up, is told at once that there is nothing, and where to go on', async () => {
  const { next: end } = await read({});
  expect(await read({ runId: 'nobody' })).toEqual({ trajectories: [], next: end, atEnd: true });
  const asking = new AbortController();
  const waiting = read({ runId: 'nobody', waitMs: 30_000, signal: asking.signal });
  asking.abort();
  expect(runsOf(await waiting)).toEqual([]);
});

it('a wait ends', async () => {
  expect(runsOf(await read({ runId: 'nobody', waitMs: 20 }))).toEqual([]);
});
