import { afterAll, beforeAll, expect, it } from 'vitest';
import { unitOf } from '../../../processors/model/unit.ts';
import { type Trajectory, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { createUnreadable } from '../../../src/blobs/create-unreadable.ts';
import { segmentsBlob } from '../../../src/blobs/segments-blob.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../src/clickhouse/tables/trajectories.ts';
import { createLeaseLog } from '../../../src/delivery/log/lease-log.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { sampleTrajectory } from '../ready/sample-trajectory.ts';
import { ack, type DeliveryWorld, lease, offsetsOf, openWorld, topics } from './delivery-world.ts';

/** Trajectories whose token data is a blob, where that cannot be had. */
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
/** As it stands on the topic, its segments elsewhere. */
const byReference = (over: Partial<Trajectory>): Trajectory => {
  const trajectory = sampleTrajectory({ ...alone, ...over });
  return { ...trajectory, segments: [], segments_ref: segmentsBlob(trajectory.segments).ref };
};

it('without a blob folder whoever would get one is told which key is missing; nothing is written, others go on', async () => {
  const run_id = 'no folder';
  world.checkBlobs = createUnreadable(null);
  await world.ready(byReference({ run_id, rollout_id: 'large' }), { run_id: 'small', rollout_id: 'small' });
  await world.until(async () => (await world.delivery.status(run_id))?.states.queued === 1);
  const log = createLeaseLog(world.broker, topics.leases);
  const before = await log.read();
  for (const key of [null, ['replica', 0, 0] as const])
    await expect(lease(world, { run: run_id, key, waitMs: 0 })).rejects.toMatchObject({
      code: 'RS_CONFIG',
      message: expect.stringContaining('blobs.folder'),
    });
  expect(await log.read()).toEqual(before);
  expect((await world.delivery.status(run_id))?.states).toMatchObject({ queued: 1, undeliverable: 0 });
  expect(offsetsOf(await lease(world, { run: 'small' }))).toHaveLength(1);
  // The key is set.
  world.checkBlobs = async () => new Map();
  expect(offsetsOf(await lease(world, { run: run_id, key: ['replica', 0, 0] }))).toHaveLength(1);
});

it('one whose blob is gone is taken from its rows, token by token the same, whenever it is asked for', async () => {
  const run_id = 'blob gone';
  world.checkBlobs = async (refs) => new Map([...refs.keys()].map((offset) => [offset, 'blob_missing']));
  const whole = sampleTrajectory({ ...alone, run_id, rollout_id: 'in rows', partition: 0 });
  const ref = segmentsBlob(whole.segments).ref;
  const owner = { topic: topics.steps, term: 1 };
  await kept.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  await kept.store.insert(encodeLanes([{ partition: 0, frontier: 10, watermark: 10, open: [] }], owner));
  const row = { trajectory: { ...whole, segments_ref: ref }, unit: unitOf(whole), replay_id: '', offset: 3 };
  await kept.store.insert(encodeTrajectories([row], owner));
  const [, at] = await world.ready(
    byReference({ run_id, rollout_id: 'nowhere' }),
    byReference({ run_id, rollout_id: 'in rows' }),
  );
  const key = ['replica', 0, 0] as const;
  const first = await lease(world, { run: run_id, key });
  expect(offsetsOf(first)).toEqual([at]);
  const decode = world.codecs.decoderOf<Trajectory>(trajectorySchema);
  const [record = Buffer.alloc(0)] = first?.records ?? [];
  expect(decode(record)).toMatchObject({ kind: 'ok', value: { segments: whole.segments, segments_ref: null } });
  // Nothing of it is in memory any more.
  await world.restart();
  expect((await lease(world, { run: run_id, key }))?.records).toEqual(first?.records);
  await ack(world, first, 1);
  expect((await world.delivery.status(run_id))?.states).toMatchObject({ trained: 1, undeliverable: 1 });
});
