import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';
import { unitOf } from '../../../processors/model/unit.ts';
import { stepEventSchema } from '../../../schemas/generated/step-event.ts';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { openBlobFolder } from '../../../src/blobs/open-blob-folder.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { lookupTrajectories } from '../../../src/clickhouse/trajectory-lookup.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { RollstreamError } from '../../../src/errors.ts';
import { startLanes } from '../../../src/lanes/start-lanes.ts';
import { silentRecorder } from '../../../src/observe/recorder.ts';
import { createReadReady } from '../../../src/ready/read-ready.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import type { Registry } from '../../../src/registry/port.ts';
import { attemptOf } from '../../processors/events.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

const settings = {
  ...{ partitions: 1, reorderEvents: 256, inFlightBytes: 1 << 30 },
  deadlines: {
    ...{ gapMs: 30_000, orphanMs: 30_000, verdictMs: 600_000 },
    ...{ idleMs: 900_000, groupMs: 3_600_000, lifetimeMs: 86_400_000 },
  },
  flush: { intervalMs: 3_600_000, maxBytes: 1 << 30, maxRows: 1e9 },
};
/** 10 bytes each. */
const TOKENS = MOST_RECORD_BYTES / 10 + 1;

let folder: string;
let broker: Broker;
let registry: Registry;
let temporary: TemporaryStore;
let blobs: BlobStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-large-'));
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  registry = await openLocalRegistry({ folder });
  temporary = await temporaryStore();
  blobs = openBlobFolder(join(folder, 'blobs'));
});
afterAll(async () => {
  await broker.close();
  await temporary.remove();
  await rm(folder, { recursive: true });
});

/** Into topics of their own, under its name. */
async function send(rollout: string): Promise<void> {
  await broker.ensureTopics(topicSpecs(rollout, 1));
  const topics = topicNames(rollout);
  const encode = await createCodecs(registry).encoderOf(`${topics.steps}-value`, stepEventSchema);
  const of = attemptOf({ rollout_id: rollout });
  const tokens = { completion_ids: Buffer.alloc(TOKENS * 4, 1), completion_logprobs: Buffer.alloc(TOKENS * 4) };
  const model_call = { call_id: 'c', prompt_delta_ids: Buffer.alloc(8), ...tokens };
  const events = [of.start(), of.call(1, {}, { model_call }), of.end(2), of.verdict(1)];
  const key = unitOf({ run_id: 'run', epoch: 0, group_id: null, rollout_id: rollout });
  await broker.append(
    topics.steps,
    events.map((event) => ({ key, value: encode(event) })),
  );
}

const lanesOf = (rollout: string, store: BlobStore | null) =>
  startLanes(
    {
      ...{ broker, registry, store: temporary.store, blobs: store, recorder: silentRecorder, now: Date.now },
      log: pino({ level: 'silent' }),
    },
    { ...settings, topicPrefix: rollout },
  );

async function runLanes(rollout: string, store: BlobStore | null): Promise<void> {
  const lanes = await lanesOf(rollout, store);
  await lanes.drained().finally(() => lanes.close().catch(() => undefined));
}

const read = (rollout: string) => {
  const readReady = createReadReady({
    broker,
    codecs: createCodecs(registry),
    blobs,
    topic: topicNames(rollout).ready,
  });
  return readReady({ from: 0, limit: 10, runId: null, groupId: null, waitMs: 0 });
};
const files = async () =>
  (await readdir(join(folder, 'blobs'), { recursive: true })).filter((name) => /\/[0-9a-f]{64}$/.test(name));

it('a death between the blob and the transaction repeats nothing and loses nothing; rows name the blob and hold the tokens', async () => {
  await send('a');
  const dying: BlobStore = {
    ...blobs,
    async put(blob) {
      await blobs.put(blob);
      throw new RollstreamError('RS_CLOSED', 'it dies here');
    },
  };
  await expect(runLanes('a', dying)).rejects.toMatchObject({ code: 'RS_CLOSED' });
  const written = await files();
  expect(written).toHaveLength(1);
  expect(await broker.bounds(topicNames('a').ready, 0)).toEqual({ start: 0, end: 0 });

  await runLanes('a', blobs);
  expect(await files()).toEqual(written);
  const { trajectories } = await read('a');
  expect(trajectories.map(({ rollout_id, segments }) => [rollout_id, segments[0]?.token_ids.length])).toEqual([
    ['a', TOKENS + 2],
  ]);

  const [row] = await temporary.store.query<{ tokens: string; sha256: string }>(
    `SELECT toString(length(segments.token_ids[1])) AS tokens, segments_sha256 AS sha256
     FROM rollstream.live_trajectories WHERE rollout_id = 'a'`,
  );
  expect(row).toEqual({ tokens: String(TOKENS + 2), sha256: written[0]?.split('/')[1] });
  const [found] = await lookupTrajectories(temporary.store, { rolloutId: 'a' });
  expect(found?.segments_ref).toBeNull();
  expect(found?.segments[0]?.token_ids.length).toBe((TOKENS + 2) * 4);
});

it('without a folder it is quarantined, with its reason, and the lane goes on', async () => {
  await send('b');
  await runLanes('b', null);
  expect((await read('b')).trajectories).toEqual([]);
  const rows = await temporary.store.query(
    "SELECT disposition, why FROM rollstream.live_decisions WHERE rollout_id = 'b'",
  );
  expect(rows).toEqual([{ disposition: 'quarantine', why: ['record_too_large', 'task_complete'] }]);
  expect((await broker.bounds(topicNames('b').rejected, 0)).end).toBe(1);
});
