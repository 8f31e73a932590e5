import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schemaIdOf } from '../../../processors/decode/wire-format.ts';
import type { PolicyVersion } from '../../../schemas/generated/policy-version.ts';
import { type StepEvent, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { createControlWriter } from '../../../src/lanes/control-writer.ts';
import { createForwardVersions, type ForwardVersions } from '../../../src/lanes/forward-versions.ts';
import { sleep } from '../../../src/lanes/sleep.ts';
import { type Codecs, createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { type AnnounceVersion, createAnnounceVersion } from '../../../src/versions/announce-version.ts';
import { createAnnouncedVersions } from '../../../src/versions/announced-versions.ts';

const topics = topicNames('');
const log = pino({ level: 'silent' });
let folder: string;
let broker: Broker;
let codecs: Codecs;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-versions-'));
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  await broker.ensureTopics(topicSpecs('', 2));
  codecs = createCodecs(await openLocalRegistry({ folder }));
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

const versionsOf = () => createAnnouncedVersions({ broker, codecs, log, topic: topics.policyVersions });
const announcer = (): Promise<AnnounceVersion> =>
  createAnnounceVersion({ broker, codecs, versions: versionsOf(), topic: topics.policyVersions });
const version = (name: string, step: number, lineage = '', run_id = 'run'): PolicyVersion => ({
  run_id,
  lineage,
  step,
  version: name,
  announced_at: null,
});
/** A process that has lanes. */
async function forwarder(): Promise<ForwardVersions> {
  return createForwardVersions({
    broker,
    versions: versionsOf(),
    control: await createControlWriter(broker, codecs, topics.steps),
    log,
    sleep,
    group: 'rollstream',
    stepsTopic: topics.steps,
    versionsTopic: topics.policyVersions,
  });
}
/** What stands in a partition: id of the event, version and ordinal. */
async function forwarded(partition: number): Promise<Array<readonly [string, string, number]>> {
  const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
  const records = await broker.read(topics.steps, partition, 0, { maxBytes: 1 << 20, maxWaitMs: 0 });
  await codecs.prepare(
    records.map(({ value }) => schemaIdOf(value ?? Buffer.alloc(0))).filter((id) => typeof id === 'number'),
  );
  return records.map(({ value }) => {
    const outcome = decode(value ?? Buffer.alloc(0));
    const weights = outcome.kind === 'ok' ? outcome.value.control?.weights : null;
    if (outcome.kind !== 'ok' || !weights) throw new Error('not a version');
    return [outcome.value.event_id, weights.version, weights.ordinal] as const;
  });
}
async function untilForwarded(partition: number, count: number): Promise<void> {
  let from = 0;
  while (from < count) {
    const records = await broker.read(topics.steps, partition, from, { maxBytes: 1 << 20, maxWaitMs: 5000 });
    from = (records.at(-1)?.offset ?? from - 1) + 1;
  }
}

describe('forwarding weights versions', () => {
  test('puts each announcement into the partitions of this process, once, over restarts', async () => {
    const announce = await announcer();
    await announce(version('v0', 0));
    for (const names of [['v1', 'v2'], ['v3']]) {
      const stop = new AbortController();
      const forward = await forwarder();
      const runs = [forward(0, stop.signal), forward(1, stop.signal)];
      for (const name of names) await announce(version(name, Number(name.slice(1))));
      for (const partition of [0, 1]) await untilForwarded(partition, Number(names.at(-1)?.slice(1)) + 1);
      stop.abort();
      await Promise.all(runs);
    }
    expect(await forwarded(0)).toEqual([
      ['weights|0|0', 'v0', 0],
      ['weights|0|1', 'v1', 1],
      ['weights|0|2', 'v2', 2],
      ['weights|0|3', 'v3', 3],
    ]);
    expect((await forwarded(1)).map(([id]) => id)).toEqual([
      'weights|1|0',
      'weights|1|1',
      'weights|1|2',
      'weights|1|3',
    ]);
  });

  test('goes on in another process that takes the partition over, while the first still believes that it has it', async () => {
    const announce = await announcer();
    await announce(version('v0', 0));
    const stop = new AbortController();
    const zombie = (await forwarder())(0, stop.signal);
    await untilForwarded(0, 1);
    const successor = (await forwarder())(0, stop.signal);
    for (let step = 1; step < 20; step++) await announce(version(`v${step}`, step));
    await untilForwarded(0, 20);
    stop.abort();
    await Promise.all([zombie, successor]);
    expect((await forwarded(0)).map(([, name]) => name)).toEqual(Array.from({ length: 20 }, (_, i) => `v${i}`));
  });

  test('a partition that begins late is given what survives, with its place in the order', async () => {
    const announce = await announcer();
    for (const [name, step, lineage] of [
      ['v0', 0, ''],
      ['v1', 1, ''],
      ['v2', 2, ''],
      ['w1', 1, 'second'],
    ] as const)
      await announce(version(name, step, lineage));
    const stop = new AbortController();
    const run = (await forwarder())(0, stop.signal);
    await untilForwarded(0, 2);
    stop.abort();
    await run;
    expect(await forwarded(0)).toEqual([
      ['weights|0|0', 'v0', 0],
      ['weights|0|3', 'w1', 1],
    ]);
  });

  test('what stands in the topic and is no announcement, or a wrong one, is left out', async () => {
    const announce = await announcer();
    await announce(version('v0', 0));
    await broker.append(topics.policyVersions, [{ key: 'run', value: Buffer.from('not avro') }]);
    await broker.append(topics.policyVersions, [{ key: 'run', value: null }]);
    const [same] = await broker.read(topics.policyVersions, 0, 0, { maxBytes: 1 << 20, maxWaitMs: 0 });
    await broker.append(topics.policyVersions, [{ key: 'run', value: same?.value ?? null }]);
    await announce(version('v1', 1));
    const stop = new AbortController();
    const run = (await forwarder())(0, stop.signal);
    await untilForwarded(0, 2);
    stop.abort();
    await run;
    expect((await forwarded(0)).map(([, name, ordinal]) => [name, ordinal])).toEqual([
      ['v0', 0],
      ['v1', 1],
    ]);
  });
});

describe('announcing', () => {
  test('of a name that was used is refused, by whichever server the log put second', async () => {
    const [one, other] = [await announcer(), await announcer()];
    const results = await Promise.allSettled([one(version('v0', 0)), other(version('v0', 1))]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(one(version('v0', 7))).rejects.toMatchObject({ code: 'RS_CHECK_FAILED', facts: { field: 'version' } });
  });

  test('the same again is answered as the first time: its answer was lost', async () => {
    const announce = await announcer();
    expect([await announce(version('v0', 0)), await announce(version('v1', 1))]).toEqual([0, 1]);
    expect(await announce(version('v0', 0))).toBe(0);
    expect(await (await announcer())(version('v1', 1))).toBe(1);
    expect((await broker.bounds(topics.policyVersions, 0)).end).toBe(2);
  });

  test('of a lineage that was left, or of an earlier step, is refused and not written', async () => {
    const announce = await announcer();
    await announce(version('v0', 0));
    await announce(version('v5', 5));
    expect(await announce(version('w3', 3, 'second'))).toBe(1);
    await expect(announce(version('v6', 6))).rejects.toMatchObject({ facts: { field: 'lineage' } });
    await expect(announce(version('w2', 2, 'second'))).rejects.toMatchObject({ facts: { field: 'step' } });
    expect(await announce(version('w4', 4, 'second'))).toBe(2);
    expect(await announce(version('v0', 0, '', 'another run'))).toBe(0);
    expect((await broker.bounds(topics.policyVersions, 0)).end).toBe(5);
  });

  test('is ordered by the log, not by clocks: one that jumped back is the newer all the same', async () => {
    const announce = await announcer();
    await announce({ ...version('v0', 0), announced_at: 2_000_000_000_000_000 });
    expect(await announce({ ...version('v1', 1), announced_at: 1_000 })).toBe(1);
  });
});
