import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLeaseLog } from '../../../src/delivery/log/lease-log.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { ack, type DeliveryWorld, lease, offsetsOf, openWorld, topics } from './delivery-world.ts';

/** Embedded log, ClickHouse engine and dispatcher together, through the port; the clock stands still unless it is moved. */
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

const states = async (run = 'run') => (await world.delivery.status(run))?.states;
const MINUTE = 60_000;
const written = async () => (await createLeaseLog(world.broker, topics.leases).read()).map(({ record }) => record);

describe('a lease', () => {
  it('takes what is ready, in ready order, and another what comes next', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' }, { rollout_id: 'c' });
    const first = await lease(world, { most: 2, least: 2 });
    expect(first?.entries.map(({ rollout, deliveries }) => [rollout, deliveries])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(first).toMatchObject({ run: 'run', lineage: 0, key: ['trainer', 0, 0], microBatches: [[0, 1]], dp: 0 });
    expect(offsetsOf(await lease(world, { consumer: 'other' }))).toEqual([2]);
  });

  it('has each trajectory as it stands on the topic, byte by byte', async () => {
    const [at = 0] = await world.ready({ rollout_id: 'a' });
    const batch = await lease(world);
    const [record] = await world.broker.read('trajectories.ready', 0, at, { maxBytes: 1, maxWaitMs: 0 });
    expect(batch?.records).toEqual([record?.value]);
  });

  it('has groups whole: one whose last member is not there does not go, and holds nobody up', async () => {
    const group = { group_id: 'g', group_size_actual: 2 };
    await world.ready({ ...group, rollout_id: 'g1' }, { rollout_id: 'alone' });
    expect(offsetsOf(await lease(world, { most: 9 }))).toEqual([1]);
    await world.ready({ ...group, rollout_id: 'g2' });
    expect(offsetsOf(await lease(world, { most: 9 }))).toEqual([0, 2]);
  });

  it('under a key has one answer, whoever asks: the same batch, and again once it was acked', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' });
    const key = ['replica', 0, 0] as const;
    const first = await lease(world, { key });
    const again = await lease(world, { key, consumer: 'who restarted' });
    expect([again?.lease, offsetsOf(again)]).toEqual([first?.lease, [0]]);
    expect(again?.records).toEqual(first?.records);
    await ack(world, first, 1);
    expect(await lease(world, { key, waitMs: 0 })).toBeNull();
  });

  it('of another unit than the first of the run is refused', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' });
    await lease(world, { unit: 'rollout' });
    await expect(lease(world, { unit: 'group', waitMs: 0 })).rejects.toMatchObject({
      code: 'RS_DELIVERY_REFUSED',
      facts: { reason: 'unit_is_fixed' },
    });
  });

  it('of ranks is one global batch: each rank has its own shard, all the same number of micro-batches', async () => {
    await world.ready(...['a', 'b', 'c', 'd'].map((rollout_id) => ({ rollout_id })));
    const step = { key: ['step', 7, 0] as const, dp: 2, most: 4, least: 4, microTokens: 6 };
    const ranks = [await lease(world, { ...step, rank: 0 }), await lease(world, { ...step, rank: 1 })];
    expect(ranks[0]?.lease).toBe(ranks[1]?.lease);
    expect(ranks.flatMap((rank) => offsetsOf(rank) ?? []).sort()).toEqual([0, 1, 2, 3]);
    expect(ranks.map((rank) => rank?.microBatches)).toEqual([[[0, 1]], [[0, 1]]]);
    await expect(lease(world, { ...step, rank: 0, dp: 3 })).rejects.toMatchObject({
      facts: { reason: 'dp_size_changed' },
    });
  });
});

describe('who waits', () => {
  it('is answered when enough has come', async () => {
    const waiting = lease(world, { most: 2, least: 2 });
    await world.ready({ rollout_id: 'a' });
    await world.ready({ rollout_id: 'b' });
    expect(offsetsOf(await waiting)).toEqual([0, 1]);
  });

  it('hears "again" when its time is over, as whoever asks for the same does afterwards', async () => {
    await world.ready({ rollout_id: 'a' });
    const key = ['replica', 0, 0] as const;
    const waiting = lease(world, { key, most: 2, least: 2, waitMs: 1_000 });
    await world.until(async () => (await world.delivery.status('run'))?.waiting === 1);
    world.clock.advance(1_000);
    expect(await waiting).toBeNull();
    await world.ready({ rollout_id: 'b' });
    expect(await lease(world, { key, most: 2, least: 2 })).toBeNull();
    expect(offsetsOf(await lease(world, { key: ['replica', 0, 1], most: 2, least: 2 }))).toEqual([0, 1]);
  });

  it('without an index hears "again" too, of which nothing is written: nobody else can ask for it', async () => {
    await world.ready({ rollout_id: 'a' });
    await lease(world);
    const before = await written();
    const waiting = lease(world, { waitMs: 1_000 });
    await world.until(async () => (await world.delivery.status('run'))?.waiting === 1);
    world.clock.advance(1_000);
    expect([await waiting, await lease(world, { waitMs: 0 })]).toEqual([null, null]);
    expect(await written()).toEqual(before);
  });

  it('together with others whose time is over in the same moment is told so in one record', async () => {
    await world.ready({ rollout_id: 'a' });
    await lease(world);
    const names = Array.from({ length: 50 }, (_, index) => `replica ${index}`);
    const waiting = names.map((name) =>
      lease(world, { key: [name, 3, 1], waitMs: 1_000 }, new AbortController().signal),
    );
    await world.until(async () => (await world.delivery.status('run'))?.waiting === names.length);
    world.clock.advance(1_000);
    expect(await Promise.all(waiting)).toEqual(names.map(() => null));
    const told = (await written()).flatMap((record) => (record.kind === 'wait' ? [record.keys] : []));
    expect(told).toEqual([names.map((name) => [name, 3, 1])]);
    // Who takes over knows of all of them.
    await world.ready({ rollout_id: 'b' });
    await world.restart();
    expect(await lease(world, { key: ['replica 49', 3, 1], waitMs: 0 })).toBeNull();
    expect((await world.delivery.status('run'))?.last).toMatchObject({ 'replica 0': [3, 1], 'replica 49': [3, 1] });
  });

  it('is given what comes back when a lease runs out', async () => {
    await world.ready({ rollout_id: 'a' });
    await lease(world, { consumer: 'dies', leaseMs: MINUTE });
    const waiting = lease(world, { consumer: 'lives', waitMs: 10 * MINUTE });
    await world.until(async () => (await world.delivery.status('run'))?.waiting === 1);
    world.clock.advance(MINUTE);
    expect((await waiting)?.entries).toMatchObject([{ rollout: 'a', deliveries: 2 }]);
  });

  it('and goes away holds nothing up', async () => {
    const gone = new AbortController();
    const call = lease(world, {}, gone.signal);
    await world.until(async () => (await world.delivery.status('run'))?.waiting !== undefined);
    gone.abort();
    await expect(call).rejects.toMatchObject({ code: 'RS_INTERRUPTED' });
    await world.ready({ rollout_id: 'a' });
    expect(offsetsOf(await lease(world, { consumer: 'other' }))).toEqual([0]);
  });
});

describe('what ends a lease', () => {
  it('ack: once more is answered the same; its trajectories never come again', async () => {
    await world.ready({ rollout_id: 'a' });
    const batch = await lease(world);
    await ack(world, batch, 1);
    await ack(world, batch, 1);
    world.clock.advance(10 * MINUTE);
    expect(await lease(world, { waitMs: 0 })).toBeNull();
    expect(await states()).toMatchObject({ trained: 1, queued: 0, leased: 0 });
  });

  it('release: its trajectories come again, at their place at the head', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' });
    const batch = await lease(world);
    await world.delivery.release(batch?.lease ?? '', { lineage: null });
    expect((await lease(world))?.entries).toMatchObject([{ rollout: 'a', deliveries: 2 }]);
  });

  it('reject: they never come again', async () => {
    await world.ready({ rollout_id: 'a' });
    await world.delivery.reject((await lease(world))?.lease ?? '', { lineage: null, reason: 'nan' });
    expect(await states()).toMatchObject({ trainer_rejected: 1 });
  });

  it('the deadline, unless it was extended: the ack of who lost it to another is refused', async () => {
    await world.ready({ rollout_id: 'a' });
    const slow = await lease(world, { leaseMs: MINUTE });
    expect(await world.delivery.extend(slow?.lease ?? '', { lineage: null, leaseMs: 2 * MINUTE })).toBe(
      world.clock.nowMs + 2 * MINUTE,
    );
    world.clock.advance(MINUTE);
    expect(await lease(world, { consumer: 'other', waitMs: 0 })).toBeNull();
    world.clock.advance(MINUTE);
    expect(offsetsOf(await lease(world, { consumer: 'other' }))).toEqual([0]);
    await expect(ack(world, slow, 1)).rejects.toMatchObject({ code: 'RS_LEASE_LOST' });
  });

  it('a passed deadline alone does not: what nobody else was given can still be acked', async () => {
    await world.ready({ rollout_id: 'a' });
    const slow = await lease(world, { leaseMs: MINUTE });
    world.clock.advance(2 * MINUTE);
    await ack(world, slow, 1);
    expect(await states()).toMatchObject({ trained: 1 });
  });

  it('and nothing is known of a lease that was never granted', async () => {
    await expect(ack(world, null, 1)).rejects.toMatchObject({ code: 'RS_LEASE_LOST' });
  });
});

describe('what is not delivered', () => {
  it('was granted too often without being trained: undeliverable', async () => {
    await world.ready({ rollout_id: 'poison' });
    for (let grants = 0; grants < 3; grants += 1)
      await world.delivery.release((await lease(world))?.lease ?? '', { lineage: null });
    expect(await lease(world, { waitMs: 0 })).toBeNull();
    expect(await states()).toMatchObject({ undeliverable: 1 });
  });

  it('is too old when it is taken: it expires, its sibling goes with its own advantage', async () => {
    world.rule = { maxLag: 1, expiresUnknown: false, atTake: 'member' };
    const group = { group_id: 'g', group_size_actual: 2 };
    for (const [step, version] of ['w0', 'w1', 'w2'].entries()) await world.announce(version, step);
    await world.ready(
      { ...group, rollout_id: 'old', segments: [world.segmentOf('w0')] },
      { ...group, rollout_id: 'fresh', segments: [world.segmentOf('w2')] },
    );
    const batch = await lease(world);
    expect(batch?.entries.map(({ rollout, lag }) => [rollout, lag])).toEqual([['fresh', 0]]);
    expect(batch?.version).toBe('w2');
    expect(await states()).toMatchObject({ expired: 1, leased: 1 });
  });

  it('cannot be read: it is undeliverable and named, what stands behind it goes', async () => {
    await world.broker.append('trajectories.ready', [
      { key: 'run/0/r/broken', value: Buffer.from('no Avro'), headers: { run: 'run' }, partition: 0 },
    ]);
    await world.ready({ rollout_id: 'a' });
    expect(offsetsOf(await lease(world))).toEqual([1]);
    expect(await states()).toMatchObject({ undeliverable: 1, leased: 1 });
  });
});

describe('a checkpoint', () => {
  const of = (step: number, lineage = 0) => ({ lineage, step });

  it('that is restored gives back what was trained after it, in its order, under a new lineage', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' }, { rollout_id: 'c' });
    await ack(world, await lease(world), 1);
    await world.delivery.seal('run', { lineage: null, step: 1, tokens: new Map() });
    await ack(world, await lease(world), 2);
    const late = await lease(world);
    expect(await world.delivery.rewind('run', { of: of(1), expect: 0, request: 'r', tokens: null })).toBe(1);
    // The answer was lost.
    expect(await world.delivery.rewind('run', { of: of(1), expect: 0, request: 'r', tokens: null })).toBe(1);
    await expect(
      world.delivery.ack(late?.lease ?? '', { lineage: 0, step: 3, version: null, match: null }),
    ).rejects.toMatchObject({ code: 'RS_LINEAGE_DISCARDED' });
    await expect(lease(world, { lineage: 0 })).rejects.toMatchObject({ code: 'RS_LINEAGE_DISCARDED' });
    expect(offsetsOf(await lease(world, { most: 9, lineage: 1 }))).toEqual([1, 2]);
  });

  it('that was never sealed is refused without what it holds; with that, it is as good', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' });
    const batch = await lease(world);
    const rewind = { of: of(1), expect: 0, request: 'r', tokens: null };
    await expect(world.delivery.rewind('run', rewind)).rejects.toMatchObject({ facts: { reason: 'never_sealed' } });
    const tokens = new Map([[batch?.lease ?? '', { step: 1, offsets: [0] }]]);
    expect(await world.delivery.rewind('run', { ...rewind, tokens })).toBe(1);
    expect(offsetsOf(await lease(world, { most: 9 }))).toEqual([1]);
  });

  it('can be gone on from by another run, which shares its trajectories', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' });
    await ack(world, await lease(world), 1);
    await world.delivery.seal('run', { lineage: null, step: 1, tokens: new Map() });
    await world.delivery.fork('run', { of: of(1), into: 'fork', request: 'f', tokens: null });
    expect(offsetsOf(await lease(world, { run: 'fork', most: 9 }))).toEqual([1]);
    expect(offsetsOf(await lease(world, { run: 'run', most: 9 }))).toEqual([1]);
    await expect(
      world.delivery.fork('run', { of: of(1), into: 'fork', request: 'other', tokens: null }),
    ).rejects.toMatchObject({ facts: { reason: 'exists' } });
  });

  it('that is restored condemns what weights sampled that are no more', async () => {
    for (const [step, version] of ['w0', 'w1', 'w2'].entries()) await world.announce(version, step);
    await world.delivery.seal('run', { lineage: null, step: 1, tokens: new Map() });
    await world.ready(
      { rollout_id: 'condemned', segments: [world.segmentOf('w2')] },
      { rollout_id: 'kept', segments: [world.segmentOf('w1')] },
    );
    await world.delivery.rewind('run', { of: of(1), expect: 0, request: 'r', tokens: null });
    expect(offsetsOf(await lease(world, { most: 9 }))).toEqual([1]);
    const announced = { run: 'run', version: 'w3' };
    await expect(world.delivery.checkVersion({ ...announced, lineage: '' })).rejects.toMatchObject({
      code: 'RS_LINEAGE_DISCARDED',
    });
    await world.delivery.checkVersion({ ...announced, lineage: '1' });
    await world.delivery.checkVersion({ ...announced, lineage: 'a name of its own' });
  });
});

describe('a restart', () => {
  it('keeps leases, indexes, refusals: what was answered is answered the same', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' }, { rollout_id: 'c' });
    const key = ['replica', 4, 0] as const;
    const before = await lease(world, { key });
    await ack(world, await lease(world, { consumer: 'other' }), 1);
    await world.restart();
    const after = await lease(world, { key });
    expect([after?.lease, after?.records]).toEqual([before?.lease, before?.records]);
    await ack(world, before, 2);
    expect(offsetsOf(await lease(world, { consumer: 'other', most: 9 }))).toEqual([2]);
    expect(await states()).toMatchObject({ trained: 2, leased: 1 });
  });

  it('between what was written and its answer loses nothing and gives nothing twice', async () => {
    await world.ready({ rollout_id: 'a' }, { rollout_id: 'b' });
    const key = ['replica', 0, 0] as const;
    // Nobody hears the answer.
    const lost = lease(world, { key }).catch(() => null);
    await world.restart();
    await lost;
    expect(offsetsOf(await lease(world, { key }))).toEqual([0]);
    expect(offsetsOf(await lease(world, { consumer: 'other' }))).toEqual([1]);
  });

  it('tells who waits to ask again', async () => {
    const waiting = lease(world);
    const told = expect(waiting).rejects.toMatchObject({ code: 'RS_STARTING' });
    await world.announce('w0', 0);
    await world.restart();
    await told;
  });
});
