import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadyEntry } from '../../../../processors/model/delivery.ts';
import { unitOf } from '../../../../processors/model/unit.ts';
import { type Trajectory, type TrajectoryInit, trajectorySchema } from '../../../../schemas/generated/trajectory.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { createLoadPayloads } from '../../../../src/delivery/ready/payloads.ts';
import { createRecordCache } from '../../../../src/delivery/ready/record-cache.ts';
import { createStoredRecord } from '../../../../src/delivery/ready/stored-record.ts';
import { type TemporaryStore, temporaryStore } from '../../clickhouse/temporary-store.ts';
import { sampleTrajectory } from '../../ready/sample-trajectory.ts';
import { type DeliveryWorld, openWorld, topics } from '../delivery-world.ts';

let kept: TemporaryStore;
let world: DeliveryWorld;
beforeAll(async () => {
  kept = await temporaryStore();
  world = await openWorld(kept.store);
});
afterAll(async () => {
  await world.close();
  await kept.remove();
});

const alone = { group_id: null, group_size_actual: null };
const trajectoryOf = (rollout_id: string): Trajectory => sampleTrajectory({ ...alone, rollout_id });
const entryOf = (offset: number, rollout: string): ReadyEntry => ({
  ...{ offset, run: 'run', group: '', size: 1, unit: unitOf(trajectoryOf(rollout)), rollout, attempt: 0, tokens: 3 },
  ...{ versions: [], readyAtMs: 0 },
});

/** A log that has deleted all below `start`, and says what is read of it. */
function loaderFrom(start: number, cacheBytes = 1 << 20) {
  const reads: number[] = [];
  const broker = {
    bounds: async () => ({ start, end: (await world.broker.bounds(topics.ready, 0)).end }),
    read: (topic: string, partition: number, offset: number, limits: { maxBytes: number; maxWaitMs: number }) => {
      reads.push(offset);
      return world.broker.read(topic, partition, offset, limits);
    },
  };
  const encode = () => world.codecs.encoderOf<TrajectoryInit>(`${topics.ready}-value`, trajectorySchema);
  const cache = createRecordCache(cacheBytes);
  const storedRecord = createStoredRecord({ store: kept.store, encode });
  return { reads, cache, load: createLoadPayloads({ broker, storedRecord, cache, topic: topics.ready }) };
}

it('payloads are those of the log; of what it has deleted those of the store, byte by byte the same', async () => {
  const names = ['deleted', 'lost', 'there'];
  const [deleted = 0, lost = 0, there = 0] = await world.ready(
    ...names.map((rollout_id) => ({ ...alone, rollout_id })),
  );
  const owner = { topic: topics.steps, term: 1 };
  await kept.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  await kept.store.insert(encodeLanes([{ partition: 0, frontier: 10, watermark: 10, open: [] }], owner));
  const trajectory = { ...trajectoryOf('deleted'), partition: 0 };
  const row = { trajectory, unit: unitOf(trajectory), replay_id: '', offset: 3 };
  await kept.store.insert(encodeTrajectories([row], owner));
  const { load } = loaderFrom(there);
  const found = await load([entryOf(deleted, 'deleted'), entryOf(lost, 'lost'), entryOf(there, 'there')]);
  const records = await world.broker.read(topics.ready, 0, deleted, { maxBytes: 1 << 20, maxWaitMs: 0 });
  const bytesOf = (offset: number) => records.find((record) => record.offset === offset)?.value;
  expect([...found.keys()].sort((a, b) => a - b)).toEqual([deleted, there]);
  expect(found.get(there)).toEqual(bytesOf(there));
  expect(found.get(deleted)).toEqual(bytesOf(deleted));
});

it('what stands close together is read at once, what is far off by itself, what is kept not at all', async () => {
  const offsets = await world.ready(...Array.from({ length: 200 }, (_, i) => ({ ...alone, rollout_id: `r${i}` })));
  const [first = 0] = offsets;
  const { load, reads, cache } = loaderFrom(0);
  cache.put(first + 1, Buffer.from('kept'));
  const found = await load([3, 0, 1, 150].map((at) => entryOf(first + at, `r${at}`)));
  expect(found.get(first + 1)?.toString()).toBe('kept');
  expect([found.size, reads]).toEqual([4, [first, first + 150]]);
});

it('the cache keeps no more than its bytes, the newest, and nothing that is larger', () => {
  const cache = createRecordCache(10);
  for (const [offset, bytes] of [
    [1, 4],
    [2, 4],
    [3, 4],
    [4, 11],
  ] as const)
    cache.put(offset, Buffer.alloc(bytes));
  expect([1, 2, 3, 4].map((offset) => cache.get(offset)?.length)).toEqual([undefined, 4, 4, undefined]);
  cache.put(3, Buffer.alloc(6));
  expect([2, 3].map((offset) => cache.get(offset)?.length)).toEqual([4, 6]);
});
