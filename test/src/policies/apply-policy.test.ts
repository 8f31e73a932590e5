import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type StepEvent, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { openDocuments } from '../../../src/lanes/documents.ts';
import type { LaneSettings } from '../../../src/lanes/lane-settings.ts';
import { documentIdOf } from '../../../src/lanes/read-document.ts';
import { createApplyPolicy } from '../../../src/policies/apply-policy.ts';
import { shippedPolicyFile } from '../../../src/policies/shipped-policies.ts';
import { type Codecs, createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

const { steps } = topicNames('');
const settings: LaneSettings = {
  partitions: 3,
  topicPrefix: '',
  deadlines: { gapMs: 1, orphanMs: 1, verdictMs: 1, idleMs: 1, groupMs: 1, lifetimeMs: 1 },
  reorderEvents: 256,
  flush: { intervalMs: 1, maxBytes: 1, maxRows: 1 },
  inFlightBytes: 1,
};

let folder: string;
let broker: Broker;
let codecs: Codecs;
let temporary: TemporaryStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-apply-'));
  broker = await openEmbeddedBroker({ folder, now: () => 1_700_000_000_000 });
  await broker.ensureTopics(topicSpecs('', settings.partitions));
  codecs = createCodecs(await openLocalRegistry({ folder }));
  temporary = await temporaryStore();
});
afterEach(async () => {
  await broker.close();
  await temporary.remove();
  await rm(folder, { recursive: true });
});

const shipped = async (name: string) => ({ text: await readFile(shippedPolicyFile(name), 'utf8'), where: name });
const applyWith = (over: Partial<LaneSettings> = {}) =>
  createApplyPolicy({
    ...{ broker, codecs, store: temporary.store, now: () => 1_700_000_000_000 },
    settings: { ...settings, ...over },
  });

/** Policies that the events of a partition put in force, in order. */
async function inForceIn(partition: number): Promise<string[]> {
  const { start, end } = await broker.bounds(steps, partition);
  const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
  const ids: string[] = [];
  for (let at = start; at < end; ) {
    const records = await broker.read(steps, partition, at, { maxBytes: 1 << 20, maxWaitMs: 0 });
    for (const record of records) {
      await codecs.prepare(new Set([record.value?.readInt32BE(1) ?? 0]));
      const event = record.value === null ? null : decode(record.value);
      if (event?.kind === 'ok') ids.push(event.value.control?.policy?.policy_id ?? '');
      // A lane loads the documents by the headers, before it folds the record.
      expect(record.headers.policy_id).toBe(ids.at(-1));
    }
    at = (records.at(-1)?.offset ?? end) + 1;
  }
  return ids;
}

it('writes an event into each partition, whose document the store has', async () => {
  const strict = await shipped('strict');
  const before = documentIdOf((await shipped('default')).text);
  const applied = await applyWith()(strict);
  expect(applied).toMatchObject({ name: 'strict', policy_id: documentIdOf(strict.text), before, partitions: 3 });
  for (const partition of [0, 1, 2]) expect(await inForceIn(partition)).toEqual([applied.policy_id]);
  const rows = await temporary.store.query<{ content: string }>(
    'SELECT content FROM rollstream.documents FINAL WHERE id = {id:String}',
    { id: applied.policy_id },
  );
  expect(rows).toEqual([{ content: strict.text }]);
});

it('of two at once ends with the same one everywhere', async () => {
  const apply = applyWith();
  const [strict, dapo] = await Promise.all([apply(await shipped('strict')), apply(await shipped('dapo'))]);
  expect(dapo.before).toBe(strict.policy_id);
  for (const partition of [0, 1, 2]) expect(await inForceIn(partition)).toEqual([strict.policy_id, dapo.policy_id]);
});

it('is what a start goes on with, and what a process that began before finds when it takes a lane over', async () => {
  const began = await openDocuments(temporary.store, settings);
  const default_ = began.configured;
  const { policy_id } = await applyWith()(await shipped('dapo'));
  expect((await openDocuments(temporary.store, settings)).configured).toEqual({ ...default_, policy_id });
  await began.load(default_);
  expect(began.configured).toEqual({ ...default_, policy_id });
  expect(began.policyOf(policy_id).name).toBe('dapo');
  // Another log of the same store has its own.
  expect((await openDocuments(temporary.store, { ...settings, topicPrefix: 'other.' })).configured).toEqual(default_);
});

it('leaves what policy_file says alone, and is refused where it says something', async () => {
  const policyFile = shippedPolicyFile('strict');
  await expect(applyWith({ policyFile })(await shipped('dapo'))).rejects.toMatchObject({
    ...{ code: 'RS_CONFIG', facts: { field: 'policy_file' } },
  });
  await applyWith()(await shipped('dapo'));
  const documents = await openDocuments(temporary.store, { ...settings, policyFile });
  await documents.load(documents.configured);
  expect(documents.policyOf(documents.configured.policy_id).name).toBe('strict');
});

it('of what cannot be used changes nothing', async () => {
  const { text } = await shipped('dapo');
  await expect(applyWith()({ text: text.replace('retries: 2', 'retries: -1'), where: 'mine.yaml' })).rejects.toThrow(
    /^mine\.yaml:\d+: retries: expected a whole number from 0 on, got -1$/,
  );
  expect(await temporary.store.query('SELECT * FROM rollstream.applied')).toEqual([]);
  expect(await inForceIn(0)).toEqual([]);
});
