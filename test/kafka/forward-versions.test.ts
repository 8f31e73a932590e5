import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type StepEvent, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import type { Broker } from '../../src/broker/port.ts';
import { laneGroup, topicNames, topicSpecs } from '../../src/config/topics.ts';
import { createControlWriter } from '../../src/lanes/control-writer.ts';
import { createForwardVersions, type ForwardVersions } from '../../src/lanes/forward-versions.ts';
import { sleep } from '../../src/lanes/sleep.ts';
import { type Codecs, createCodecs } from '../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../src/registry/local/open-local-registry.ts';
import { createAnnounceVersion } from '../../src/versions/announce-version.ts';
import { createAnnouncedVersions } from '../../src/versions/announced-versions.ts';

const prefix = `versions-${randomUUID()}.`;
const topics = topicNames(prefix);
const log = pino({ level: 'silent' });
let folder: string;
let brokers: Broker[];
let codecs: Codecs;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-versions-'));
  const options = { brokers: [inject('services').kafka] };
  brokers = [await openKafkaBroker(options), await openKafkaBroker(options)];
  await brokers[0]?.ensureTopics(topicSpecs(prefix, 1));
  codecs = createCodecs(await openLocalRegistry({ folder }));
});
afterAll(async () => {
  for (const broker of brokers) await broker.close();
  await rm(folder, { recursive: true });
});

const versionsOf = (broker: Broker) => createAnnouncedVersions({ broker, codecs, log, topic: topics.policyVersions });
/** A process that has the lane, or believes so. */
async function forwarder(broker: Broker): Promise<ForwardVersions> {
  const versions = versionsOf(broker);
  const control = await createControlWriter(broker, codecs, topics.steps);
  const names = { group: laneGroup(prefix), stepsTopic: topics.steps, versionsTopic: topics.policyVersions };
  return createForwardVersions({ broker, versions, control, log, sleep, ...names });
}

it('each announcement is forwarded once, by whichever process has the lane, and over a restart', async () => {
  const [one, other] = brokers;
  if (one === undefined || other === undefined) throw new Error('two brokers');
  const topic = topics.policyVersions;
  const announce = await createAnnounceVersion({ broker: one, codecs, versions: versionsOf(one), topic });
  const say = (step: number) => announce({ run_id: 'run', lineage: '', step, version: `v${step}`, announced_at: null });
  const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
  const forwarded: string[] = [];
  let offset = 0;
  const untilForwarded = async (count: number) => {
    while (forwarded.length < count) {
      const records = await one.read(topics.steps, 0, offset, { maxBytes: 1 << 20, maxWaitMs: 500 });
      await codecs.prepare(
        records.flatMap(({ value }) => {
          const id = schemaIdOf(value ?? Buffer.alloc(0));
          return typeof id === 'number' ? [id] : [];
        }),
      );
      for (const record of records) {
        const outcome = decode(record.value ?? Buffer.alloc(0));
        forwarded.push(outcome.kind === 'ok' ? (outcome.value.control?.weights?.version ?? 'nothing') : 'poison');
        offset = record.offset + 1;
      }
    }
  };

  const stop = new AbortController();
  await say(0);
  const first = (await forwarder(one))(0, stop.signal);
  await untilForwarded(1);
  const successor = (await forwarder(other))(0, stop.signal);
  for (let step = 1; step < 6; step++) expect(await say(step)).toBe(step);
  await untilForwarded(6);
  stop.abort();
  await Promise.all([first, successor]);

  const again = new AbortController();
  await say(6);
  const restarted = (await forwarder(other))(0, again.signal);
  await untilForwarded(7);
  again.abort();
  await restarted;
  expect(forwarded).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6']);
}, 120_000);
