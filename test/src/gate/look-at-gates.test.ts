import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { encodeGates } from '../../../src/clickhouse/tables/gates.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { openGateBench, policyWith } from './gate-bench.ts';
import { gateRows, type SaidOf } from './gate-rows.ts';

let temporary: TemporaryStore;
let bench: Awaited<ReturnType<typeof openGateBench>>;
let rows: ReturnType<typeof gateRows>;
/** Each test has a run of its own. */
let run = '';
let serial = 0;
beforeAll(async () => {
  temporary = await temporaryStore();
  rows = gateRows(temporary.store);
});
afterAll(() => temporary.remove());
beforeEach(async () => {
  serial += 1;
  run = `run-${serial}`;
  bench = await openGateBench(temporary.store);
  bench.bench.policy = policyWith(GATE);
});
afterEach(() => bench.close());

const GATE = `{ min_count: 4, window: 8, limits: { unknown_reasons: off, auditable_coverage: off } }`;
const CLEAN: readonly SaidOf[] = [['tokens', 'pass', '']];
const DRIFT: readonly SaidOf[] = [['tokens', 'fail', 'pipeline_drift']];

let rollout = 0;
async function decided(said: readonly SaidOf[], count = 1, over = {}): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    rollout += 1;
    await rows.decided(run, `a${rollout}`, over, said);
  }
}
const states = async () => (await bench.rowsOf(run)).map(({ state, by }) => `${state} ${by}`);

it('holds a run whose drift crosses the limit at the next look, in every partition, and says why', async () => {
  const look = bench.evaluator();
  await decided(CLEAN, 5);
  await look();
  expect(await bench.rowsOf(run)).toEqual([]);
  await decided(DRIFT);
  await look();
  expect(await states()).toEqual(['hold evaluator']);
  for (const partition of [0, 1]) expect(await bench.eventsOf(run, partition)).toEqual(['hold']);
  expect(bench.told).toMatchObject([{ run_id: run, seq: 1, state: 'hold' }]);
  const { tripped } = JSON.parse(bench.told[0]?.why_json ?? '');
  // One of six: 95 % by Wilson is 0.0301 to 0.5635.
  expect(tripped).toMatchObject([{ limit: 'pipeline_drift', bound: 'max', bound_at: 0, n: 6, hits: 1 }]);
  expect(tripped[0].low).toBeCloseTo(0.0301, 4);
  expect(tripped[0].high).toBeCloseTo(0.5635, 4);
  expect(bench.counted.at(-1)?.get('hold')).toBeGreaterThanOrEqual(1);
});

it('says nothing of fewer than the minimum', async () => {
  const look = bench.evaluator();
  await decided(DRIFT, 3);
  await look();
  expect(await states()).toEqual([]);
});

it('stays held whatever comes, until a release, which begins a new window', async () => {
  const look = bench.evaluator();
  await decided(DRIFT, 4);
  await look();
  await decided(CLEAN, 20);
  await look();
  expect(await states()).toEqual(['hold evaluator']);
  bench.clock.nowMs = 1_900_000_000_000;
  expect(await bench.setGate(run, { wish: 'release', reason: 'mended' })).toMatchObject({
    ...{ state: 'open', before: 'hold', changed: true },
  });
  await look();
  await decided(CLEAN, 4, { atMs: 1_900_000_001_000 });
  await look();
  expect(await states()).toEqual(['hold evaluator', 'open release']);
  await decided(DRIFT, 1, { atMs: 1_900_000_002_000 });
  await look();
  expect(await states()).toEqual(['hold evaluator', 'open release', 'hold evaluator']);
  expect((await bench.eventsOf(run)).slice(-1)).toEqual(['hold']);
});

it('leaves what a person set alone until it is released', async () => {
  const look = bench.evaluator();
  await decided(DRIFT, 4);
  await bench.setGate(run, { wish: 'set', state: 'open', classes: [], reason: null });
  await look();
  expect(await states()).toEqual(['open set']);
  await bench.setGate(run, { wish: 'release', reason: null });
  await look();
  expect(await states()).toEqual(['open set', 'open release']);
});

it('quarantines the classes that tripped, and opens when they are out of the window', async () => {
  bench.bench.policy = policyWith(
    `{ min_count: 4, window: 4, limits: { auditable_coverage: off, executed_repairs: { max: 0, then: quarantine } } }`,
  );
  const look = bench.evaluator();
  await decided([['tools', 'pass', '']], 3);
  await decided([
    ['tools', 'fail', 'silent_repair'],
    ['tools', 'fail', 'coerced'],
  ]);
  await look();
  expect(await bench.eventsOf(run)).toEqual(['quarantine silent_repair']);
  await decided([['tools', 'pass', '']], 4);
  await look();
  expect(await states()).toEqual(['quarantine evaluator', 'open evaluator']);
});

it('holds the first trajectories of a run under preflight, and opens when they are clean', async () => {
  bench.bench.policy = policyWith(`{ preflight: 3, limits: { auditable_coverage: off } }`);
  const look = bench.evaluator();
  await decided(CLEAN, 2, { held: true });
  await look();
  expect(await states()).toEqual(['preflight evaluator']);
  await decided(CLEAN, 1, { held: true });
  await look();
  expect(await states()).toEqual(['preflight evaluator', 'open evaluator']);
});

it('holds a run whose first trajectories are bad', async () => {
  bench.bench.policy = policyWith(`{ preflight: 3, limits: { auditable_coverage: off } }`);
  const look = bench.evaluator();
  await decided(CLEAN, 2);
  await decided(DRIFT, 1);
  await look();
  expect(await states()).toEqual(['hold evaluator']);
});

it('writes the events of a row whose writer died before them, once', async () => {
  await decided(CLEAN);
  const row = { run_id: run, seq: 1, state: 'hold', by: 'set', classes: [], why_json: '{}' } as const;
  await temporary.store.insert(encodeGates([{ ...row, windowFromMs: 0, atMs: 5 }]));
  const look = bench.evaluator();
  await look();
  await look();
  for (const partition of [0, 1]) expect(await bench.eventsOf(run, partition)).toEqual(['hold']);
});

it('writes the events of what another process changed meanwhile, once', async () => {
  const look = bench.evaluator();
  await look();
  const row = { run_id: run, seq: 1, state: 'hold', by: 'set', classes: [], why_json: '{}' } as const;
  await temporary.store.insert(encodeGates([{ ...row, windowFromMs: 0, atMs: 5 }]));
  await look();
  await look();
  expect(await bench.eventsOf(run)).toEqual(['hold']);
});

it('of two evaluators at once changes nothing twice', async () => {
  const [a, b] = [bench.evaluator(), bench.evaluator()];
  await decided(DRIFT, 4);
  await Promise.all([a(), b()]);
  await a();
  await b();
  expect(await states()).toEqual(['hold evaluator']);
  expect(new Set(await bench.eventsOf(run))).toEqual(new Set(['hold']));
});

it('asks for nothing but frontiers and gates while nothing moves', async () => {
  const look = bench.evaluator();
  await decided(CLEAN, 4);
  for (let i = 0; i < 13; i += 1) await look();
  const asked: string[] = [];
  const { query } = temporary.store;
  temporary.store.query = (sql, params) => {
    asked.push(sql);
    return query(sql, params);
  };
  await look();
  temporary.store.query = query;
  expect(asked.filter((sql) => sql.includes('decisions'))).toEqual([]);
});
