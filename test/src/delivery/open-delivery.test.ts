import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { type DeliveryWorld, lease, offsetsOf, openWorld } from './delivery-world.ts';

let kept: TemporaryStore;
let world: DeliveryWorld;
beforeAll(async () => {
  kept = await temporaryStore();
});
afterAll(() => kept.remove());
beforeEach(async () => {
  world = await openWorld(kept.store);
});
afterEach(() => world.close());

describe('leases', () => {
  it('come in ready order', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' }, { rollout_id: 'c' });
    const first = await lease(world, { most: 2, least: 2 });
    expect(first?.entries.map(({ rollout }) => rollout)).toEqual(['a', 'b']);
    expect(offsetsOf(await lease(world, { consumer: 'other' }))).toEqual([2]);
  });
});
