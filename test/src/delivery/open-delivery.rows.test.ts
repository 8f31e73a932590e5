import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLeaseLog } from '../../../src/delivery/log/lease-log.ts';
import { countRunRows } from '../../../src/runs/run-tables.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { ack, type DeliveryWorld, lease, openWorld, topics } from './delivery-world.ts';

/** What SQL shows of delivery, and what delivery takes from it. Each test has a run of its own: they share the store. */
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

const MINUTE = 60_000;
const rows = (sql: string, run: string) => kept.store.query<Record<string, unknown>>(sql, { run });
/** Rows are on their way for a moment: a restart waits for them. */
const settled = () => world.restart();
const deliveries = async (run: string, columns: string) => {
  await settled();
  return rows(
    `SELECT ${columns} FROM rollstream.deliveries FINAL WHERE run_id = {run:String} ORDER BY ready_offset`,
    run,
  );
};

it('each trajectory has the last word on it: who took it, when, and what came of it', async () => {
  const run = 'last word';
  await world.announce('w0', 0, '', run);
  await world.ready(
    ...['acked', 'released', 'rejected', 'leased', 'queued'].map((rollout_id) => ({ run_id: run, rollout_id })),
  );
  const began = world.clock.nowMs;
  world.clock.advance(1_000);
  const [acked, released, rejected] = [
    await lease(world, { run }),
    await lease(world, { run }),
    await lease(world, { run }),
  ];
  await lease(world, { run });
  world.clock.advance(2_000);
  const match = { kl: 0.25, maxLogprobDiff: null, clippedShare: 1 };
  await world.delivery.ack(acked?.lease ?? '', { lineage: null, step: 7, version: 'w1', match });
  await world.delivery.release(released?.lease ?? '', { lineage: null });
  await world.delivery.reject(rejected?.lease ?? '', { lineage: null, reason: 'nan' });
  const columns = `rollout_id, state, step, consumer, deliveries, reason, weights_version AS made, tokens,
    toUnixTimestamp64Milli(ready_at) - ${began} AS ready, toUnixTimestamp64Milli(taken_at) - ${began} AS taken,
    toUnixTimestamp64Milli(ended_at) - ${began} AS ended, toUnixTimestamp64Milli(deadline) - ${began} AS deadline`;
  const of = {
    consumer: 'trainer',
    deliveries: 1,
    tokens: 3,
    ready: 0,
    taken: 1_000,
    reason: '',
    made: '',
    step: null,
  };
  expect(await deliveries(run, columns)).toEqual([
    { ...of, rollout_id: 'acked', state: 'trained', step: 7, made: 'w1', ended: 3_000, deadline: null },
    { ...of, rollout_id: 'released', state: 'queued', ended: 3_000, deadline: null },
    { ...of, rollout_id: 'rejected', state: 'trainer_rejected', reason: 'nan', ended: 3_000, deadline: null },
    { ...of, rollout_id: 'leased', state: 'leased', ended: null, deadline: 1_000 + MINUTE },
  ]);
  expect(
    await rows(
      `SELECT lease_id, key_name, key_index, trajectories, tokens, ended_how, step FROM rollstream.delivery_leases FINAL
       WHERE run_id = {run:String} AND key_index < 2 ORDER BY key_index`,
      run,
    ),
  ).toEqual([
    {
      lease_id: acked?.lease,
      key_name: 'trainer',
      key_index: 0,
      trajectories: 1,
      tokens: 3,
      ended_how: 'trained',
      step: 7,
    },
    {
      lease_id: released?.lease,
      key_name: 'trainer',
      key_index: 1,
      trajectories: 1,
      tokens: 3,
      ended_how: 'queued',
      step: null,
    },
  ]);
  expect(
    await rows(
      `SELECT rollout_id, step, kl, max_logprob_diff, clipped_share FROM rollstream.train_match FINAL WHERE run_id = {run:String}`,
      run,
    ),
  ).toEqual([{ rollout_id: 'acked', step: 7, kl: 0.25, max_logprob_diff: null, clipped_share: 1 }]);
});

it('the lag at use is that at the ack', async () => {
  const run = 'lag at use';
  await world.announce(`${run} w0`, 0, '', run);
  await world.ready({ run_id: run, segments: [world.segmentOf(`${run} w0`)] });
  const batch = await lease(world, { run });
  expect(batch?.entries[0]?.lag).toBe(0);
  await world.announce(`${run} w1`, 1, '', run);
  await ack(world, batch, 1);
  expect(await deliveries(run, 'state, lag')).toEqual([{ state: 'trained', lag: 1 }]);
});

it('what a checkpoint holds before its ack has the same row: its lag, its grants, who took it', async () => {
  const run = 'sealed first';
  await world.announce(`${run} w0`, 0, '', run);
  await world.ready({ run_id: run, segments: [world.segmentOf(`${run} w0`)] });
  await world.delivery.release((await lease(world, { run }))?.lease ?? '', { lineage: null });
  const batch = await lease(world, { run });
  await world.announce(`${run} w1`, 1, '', run);
  const tokens = new Map([[batch?.lease ?? '', { step: 1, offsets: batch?.offsets ?? [] }]]);
  await world.delivery.seal(run, { lineage: null, step: 1, tokens });
  await ack(world, batch, 1);
  expect(await deliveries(run, 'state, step, lag, deliveries, consumer')).toEqual([
    { state: 'trained', step: 1, lag: 1, deliveries: 2, consumer: 'trainer' },
  ]);
});

it('a rewind, a seal and a fork have rows; what was left is queued again as of now', async () => {
  const run = 'goes back';
  await world.ready({ run_id: run, rollout_id: 'a' }, { run_id: run, rollout_id: 'b' });
  await ack(world, await lease(world, { run }), 1);
  await world.delivery.seal(run, { lineage: null, step: 1, tokens: new Map() });
  await ack(world, await lease(world, { run }), 2);
  const of = { lineage: 0, step: 1 };
  await world.delivery.fork(run, { of, into: 'forked', request: 'f', tokens: null });
  await world.delivery.rewind(run, { of, expect: 0, request: 'r', tokens: null });
  await settled();
  const live =
    'SELECT rollout_id, state FROM rollstream.live_deliveries WHERE run_id = {run:String} ORDER BY ready_offset';
  for (const name of [run, 'forked'])
    expect(await rows(live, name)).toEqual([
      { rollout_id: 'a', state: 'trained' },
      { rollout_id: 'b', state: 'queued' },
    ]);
  expect(
    await kept.store.query(
      `SELECT run_id, kind, lineage, of_lineage, step, parent FROM rollstream.lineages FINAL
       WHERE run_id IN ('goes back', 'forked') ORDER BY version`,
    ),
  ).toEqual([
    { run_id: run, kind: 'seal', lineage: 0, of_lineage: 0, step: 1, parent: '' },
    { run_id: 'forked', kind: 'fork', lineage: 0, of_lineage: 0, step: 1, parent: run },
    { run_id: run, kind: 'rewind', lineage: 1, of_lineage: 0, step: 1, parent: '' },
  ]);
});

it('what weights sampled that are no more has a row that says so, also when it comes later', async () => {
  const run = 'condemned';
  await world.announce('c0', 0, '', run);
  await world.announce('c1', 1, '', run);
  const by = { run_id: run, segments: [world.segmentOf('c1')] };
  await world.ready({ ...by, rollout_id: 'before' });
  await world.delivery.seal(run, { lineage: null, step: 0, tokens: new Map() });
  await world.delivery.rewind(run, { of: { lineage: 0, step: 0 }, expect: 0, request: 'r', tokens: null });
  await world.ready({ ...by, rollout_id: 'after' });
  await world.until(async () => (await world.delivery.status(run))?.states.trainer_rejected === 2);
  await world.until(async () => {
    // Rows that come while others are inserted have an alarm of their own.
    world.clock.advance(1_000);
    return (await rows('SELECT 1 FROM rollstream.deliveries WHERE run_id = {run:String}', run)).length === 2;
  });
  expect(await deliveries(run, 'rollout_id, state, reason')).toEqual([
    { rollout_id: 'before', state: 'trainer_rejected', reason: 'discarded_lineage' },
    { rollout_id: 'after', state: 'trainer_rejected', reason: 'discarded_lineage' },
  ]);
  const undelivered = await readFile('infra/clickhouse/queries/undelivered.sql', 'utf8');
  expect(await rows(undelivered, run)).toMatchObject([
    { state: 'trainer_rejected', reason: 'discarded_lineage', trajectories: 2 },
  ]);
});

it('what is found too old, or was delivered too often, still says who had it last, and when', async () => {
  const run = 'had it';
  await world.announce(`${run} w0`, 0, '', run);
  const by = (version: string) => ({ segments: [world.segmentOf(`${run} ${version}`)] });
  await world.ready(
    { run_id: run, rollout_id: 'too old', ...by('w0') },
    { run_id: run, rollout_id: 'never taken', ...by('w0') },
  );
  const began = world.clock.nowMs;
  const batch = await lease(world, { run, consumer: 'slow' });
  world.clock.advance(1_000);
  await world.delivery.release(batch?.lease ?? '', { lineage: null });
  world.rule = { maxLag: 0, expiresUnknown: false, atTake: 'member' };
  await world.announce(`${run} w1`, 1, '', run);
  await world.ready({ run_id: run, rollout_id: 'too often', ...by('w1') });
  for (let grants = 0; grants < 3; grants += 1) {
    const again = await lease(world, { run, consumer: `try ${grants}` });
    await world.delivery.release(again?.lease ?? '', { lineage: null });
  }
  expect(await lease(world, { run, waitMs: 0 })).toBeNull();
  const columns = `rollout_id, state, reason, consumer, deliveries, toUnixTimestamp64Milli(taken_at) - ${began} AS taken,
    toUnixTimestamp64Milli(ended_at) - ${began} AS ended`;
  expect(await deliveries(run, columns)).toEqual([
    {
      ...{ rollout_id: 'too old', state: 'expired', reason: 'max_lag', consumer: 'slow' },
      ...{ deliveries: 1, taken: 0, ended: 1_000 },
    },
    {
      ...{ rollout_id: 'never taken', state: 'expired', reason: 'max_lag', consumer: '' },
      ...{ deliveries: 0, taken: null, ended: null },
    },
    {
      ...{ rollout_id: 'too often', state: 'undeliverable', reason: 'max_deliveries', consumer: 'try 2' },
      ...{ deliveries: 3, taken: 1_000, ended: 1_000 },
    },
  ]);
});

it('a fork names the lineage of the checkpoint that it began at', async () => {
  const run = 'parent of late';
  await world.ready({ run_id: run, rollout_id: 'a' });
  const back = { of: { lineage: 0, step: 0 }, expect: 0, request: 'r', tokens: null };
  expect(await world.delivery.rewind(run, back)).toBe(1);
  await ack(world, await lease(world, { run }), 1);
  await world.delivery.seal(run, { lineage: null, step: 1, tokens: new Map() });
  await world.delivery.fork(run, { of: { lineage: 1, step: 1 }, into: 'late', request: 'f', tokens: null });
  await settled();
  expect(
    await rows('SELECT lineage, of_lineage, step FROM rollstream.lineages FINAL WHERE run_id = {run:String}', 'late'),
  ).toEqual([{ lineage: 0, of_lineage: 1, step: 1 }]);
});

it('the rows of what is not final are there after a death that came before their insert', async () => {
  const run = 'dies early';
  await world.ready({ run_id: run, rollout_id: 'a' });
  await lease(world, { run });
  await settled();
  await kept.store.query(
    `ALTER TABLE rollstream.deliveries DELETE WHERE run_id = '${run}' SETTINGS mutations_sync = 2`,
  );
  expect(await deliveries(run, 'rollout_id, state')).toEqual([{ rollout_id: 'a', state: 'leased' }]);
});

it('whoever takes over makes the rows anew that were never inserted, though no chunk names their entries yet', async () => {
  const run = 'never inserted';
  await world.ready(...['acked', 'extended', 'gone back'].map((rollout_id) => ({ run_id: run, rollout_id })));
  const began = world.clock.nowMs;
  const [acked, extended, left] = [
    await lease(world, { run }),
    await lease(world, { run, consumer: 'slow' }),
    await lease(world, { run }),
  ];
  world.clock.advance(1_000);
  const match = { kl: 0.5, maxLogprobDiff: null, clippedShare: null };
  await world.delivery.ack(acked?.lease ?? '', { lineage: null, step: 4, version: 'w4', match });
  await world.delivery.extend(extended?.lease ?? '', { lineage: null, leaseMs: 5 * MINUTE });
  await world.delivery.release(left?.lease ?? '', { lineage: null });
  const kinds = (await createLeaseLog(world.broker, topics.leases).read()).map(({ record }) => record.kind);
  expect(kinds).not.toContain('chunk');
  await settled();
  for (const table of ['deliveries', 'delivery_leases', 'train_match'])
    await kept.store.query(
      `ALTER TABLE rollstream.${table} DELETE WHERE run_id = '${run}' SETTINGS mutations_sync = 2`,
    );
  const columns = `rollout_id, state, step, consumer, weights_version AS made,
    toUnixTimestamp64Milli(taken_at) - ${began} AS taken, toUnixTimestamp64Milli(deadline) - ${began} AS deadline`;
  const of = { consumer: 'trainer', step: null, made: '', taken: 0, deadline: null };
  expect(await deliveries(run, columns)).toEqual([
    { ...of, rollout_id: 'acked', state: 'trained', step: 4, made: 'w4' },
    { ...of, rollout_id: 'extended', state: 'leased', consumer: 'slow', deadline: 1_000 + 5 * MINUTE },
    { ...of, rollout_id: 'gone back', state: 'queued' },
  ]);
  const leases = 'SELECT lease_id, ended_how FROM rollstream.delivery_leases FINAL WHERE run_id = {run:String}';
  expect(await rows(`${leases} ORDER BY version`, run)).toEqual(
    expect.arrayContaining([
      { lease_id: acked?.lease, ended_how: 'trained' },
      { lease_id: extended?.lease, ended_how: '' },
      { lease_id: left?.lease, ended_how: 'queued' },
    ]),
  );
  expect(await rows('SELECT step, kl FROM rollstream.train_match FINAL WHERE run_id = {run:String}', run)).toEqual([
    { step: 4, kl: 0.5 },
  ]);
});

it('what is final is folded away, after its rows: few records are left, and the books are as they were', async () => {
  const run = 'folded';
  const count = 130;
  await world.ready(...Array.from({ length: count }, (_, index) => ({ run_id: run, rollout_id: `r${index}` })));
  for (let step = 1; step <= count; step += 1) await ack(world, await lease(world, { run }), step);
  for (const step of [count, count + 1]) await world.delivery.seal(run, { lineage: null, step, tokens: new Map() });
  const log = createLeaseLog(world.broker, topics.leases);
  expect((await log.read()).length).toBeGreaterThan(2 * count);
  world.clock.advance(1_000);
  // The claim, and the head of the run.
  await world.until(async () => (await log.read()).length <= 2);
  const trained =
    "SELECT count() AS n FROM rollstream.deliveries FINAL WHERE run_id = {run:String} AND state = 'trained'";
  expect(await rows(trained, run)).toEqual([{ n: count }]);
  await world.restart();
  expect((await world.delivery.status(run))?.states).toMatchObject({ trained: count, queued: 0 });
  expect(await lease(world, { run, waitMs: 0 })).toBeNull();
});

it.each([true, false])(
  'a deleted run is forgotten, and has no rows again, whoever hears of it (now: %s)',
  async (isHeard) => {
    const [run, other] = [`deleted, ${isHeard}`, `beside it, ${isHeard}`];
    const names = ['acked', 'leased', 'queued'];
    await world.ready(...[run, other].flatMap((run_id) => names.map((rollout_id) => ({ run_id, rollout_id }))));
    for (const of of [run, other]) {
      const acked = await lease(world, { run: of });
      await world.delivery.ack(acked?.lease ?? '', { lineage: null, step: 1, version: null, match: null });
      await lease(world, { run: of });
    }
    await settled();
    const tables = ['deliveries', 'delivery_leases'];
    await kept.store.removeRun(tables, run);
    await world.deleted(run, isHeard);
    const kinds = async (of: string) =>
      (await createLeaseLog(world.broker, topics.leases).read()).flatMap(({ record }) =>
        'run' in record && record.run === of ? [record.kind] : [],
      );
    if (isHeard) await world.until(async () => (await kinds(run)).join() === 'head');
    await settled();
    await settled();
    expect(await kinds(run)).toEqual(['head']);
    expect([await countRunRows(kept.store, tables, run), await countRunRows(kept.store, tables, other)]).toEqual([
      {},
      { deliveries: expect.any(Number), delivery_leases: expect.any(Number) },
    ]);
    expect((await world.delivery.status(run))?.states).toMatchObject({ queued: 0, leased: 0, trained: 0 });
    expect((await world.delivery.status(other))?.states).toMatchObject({ queued: 1, leased: 1, trained: 1 });
    // What comes of a new run of that name is its first.
    const [offset] = await world.ready({ run_id: run, rollout_id: 'new' });
    await world.until(async () => (await world.delivery.status(run))?.states.queued === 1);
    expect((await lease(world, { run }))?.offsets).toEqual([offset]);
  },
);
