import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { READY_STATES, type ReadyState } from '../../../processors/model/delivery.ts';
import { createLeaseLog } from '../../../src/delivery/log/lease-log.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { ack, type DeliveryWorld, lease, offsetsOf, openWorld, topics } from './delivery-world.ts';

/** Units that a replay puts on the ready topic again. Each test has a run of its own: they share the store. */
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

const rows = (run: string) =>
  kept.store.query<Record<string, unknown>>(
    `SELECT ready_offset AS at, replay_id, recorded_state AS state, reason FROM rollstream.live_deliveries WHERE run_id = {run:String}
     ORDER BY ready_offset`,
    { run },
  );
/** Resolves when the one that grants has read as far. */
const states = (run: string, wanted: Partial<Record<ReadyState, number>>) =>
  world.until(async () => {
    const now = (await world.delivery.status(run))?.states;
    return READY_STATES.every((state) => wanted[state] === undefined || now?.[state] === wanted[state]);
  });
const seal = (run: string, step: number) => world.delivery.seal(run, { lineage: null, step, tokens: new Map() });

it('the newest whole version is granted, and the one that waited is replaced', async () => {
  const run = 'newest';
  const group = { run_id: run, group_id: 'g', group_size_actual: 2 };
  const members = ['a', 'b'].map((rollout_id) => ({ ...group, rollout_id }));
  await world.ready(...members);
  const [first] = await world.emit('p', members.slice(0, 1));
  expect(first).toBe(2);
  await states(run, { queued: 3, replaced: 0 });
  await world.emit('p', members.slice(1));
  await states(run, { queued: 2, replaced: 2 });
  expect(offsetsOf(await lease(world, { run }))).toEqual([2, 3]);
  expect(await lease(world, { run, waitMs: 0 })).toBeNull();
  await world.restart();
  expect(await rows(run)).toEqual([
    { at: 0, replay_id: '', state: 'replaced', reason: 'replaced by replay p' },
    { at: 1, replay_id: '', state: 'replaced', reason: 'replaced by replay p' },
    expect.objectContaining({ at: 2, replay_id: 'p', state: 'leased' }),
    expect.objectContaining({ at: 3, replay_id: 'p', state: 'leased' }),
  ]);
});

it('what was trained for good and is forgotten is not trained a second time, unless it is to be', async () => {
  const run = 'forgotten';
  await world.ready(
    { run_id: run, rollout_id: 'a' },
    ...Array.from({ length: 130 }, (_, i) => ({ run_id: run, rollout_id: `r${i}` })),
  );
  for (let step = 1; step <= 131; step += 1) await ack(world, await lease(world, { run }), step);
  for (const step of [131, 132]) await seal(run, step);
  world.clock.advance(1_000);
  const log = createLeaseLog(world.broker, topics.leases);
  // The claim, and the head of the run.
  await world.until(async () => (await log.read()).length <= 2);
  await world.emit('p', [{ run_id: run, rollout_id: 'a' }]);
  await states(run, { replaced: 1 });
  await world.restart();
  expect((await rows(run)).at(-1)).toEqual({ at: 131, replay_id: 'p', state: 'replaced', reason: 'already_trained' });
  expect(await lease(world, { run, waitMs: 0 })).toBeNull();
  await world.emit('q', [{ run_id: run, rollout_id: 'a' }], { again: '1' });
  expect(offsetsOf(await lease(world, { run }))).toEqual([132]);
});

it('a newer version waits while an older one is trained, and takes its place with a rewind', async () => {
  const run = 'rewound';
  await world.announce('w0', 0, '', run);
  await world.ready({ run_id: run, rollout_id: 'a' });
  const batch = await lease(world, { run });
  await seal(run, 1);
  await world.emit('p', [{ run_id: run, rollout_id: 'a' }]);
  await ack(world, batch, 2);
  await states(run, { queued: 1, trained: 1 });
  expect(await lease(world, { run, waitMs: 0 })).toBeNull();
  await world.delivery.rewind(run, { of: { lineage: 0, step: 1 }, expect: 0, request: 'q', tokens: null });
  expect(offsetsOf(await lease(world, { run }))).toEqual([1]);
  await world.restart();
  expect(await rows(run)).toMatchObject([
    { at: 0, state: 'replaced', reason: 'replaced by replay p' },
    { at: 1, state: 'leased' },
  ]);
});
