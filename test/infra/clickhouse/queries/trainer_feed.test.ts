import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DecisionInit } from '../../../../schemas/generated/decision.ts';
import { namedQueries } from '../../../../src/access/named-queries.ts';
import { encodeAttempts } from '../../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { type DeliveryRow, encodeDeliveries } from '../../../../src/clickhouse/tables/deliveries.ts';
import { type DeliveryLeaseRow, encodeDeliveryLeases } from '../../../../src/clickhouse/tables/delivery-leases.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages } from '../../../../src/clickhouse/tables/lineages.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { sampleDelivery, sampleLease, sampleLineage } from '../../../src/clickhouse/tables/sample-deliveries.ts';
import { sampleDecision, sampleStep } from '../../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../../src/clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

/** Each test has a run of its own, in a topic of its own. */
let serial = 0;
let run = '';
let owner = { topic: '', term: 1 };
let offset = 0;
beforeEach(async () => {
  run = `run-${++serial}`;
  owner = { topic: `topic-${serial}`, term: 1 };
  offset = 0;
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});

const T0 = 1_700_000_000_000;
const unitOf = (rollout_id: string) => `${run}/0/r/${rollout_id}`;

async function ready(rollouts: readonly string[], init: Partial<DecisionInit> = {}): Promise<void> {
  const { store } = temporary;
  const of = (rollout_id: string) => ({ run_id: run, rollout_id });
  const times = { started_at: (T0 - 60_000) * 1000, ended_at: (T0 - 10_000) * 1000, decided_at: T0 * 1000 };
  const starts = rollouts.map((rollout_id) => sampleStep(offset++, { ...of(rollout_id), start: {} }));
  const decisions = rollouts.map((rollout_id) =>
    sampleDecision(offset++, { ...of(rollout_id), unit: unitOf(rollout_id), ...times, ...init }),
  );
  await store.insert(encodeAttempts(starts, owner));
  await store.insert(encodeDecisions(decisions, owner));
  await store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
}

interface Times {
  readonly ready?: number;
  readonly taken?: number;
  readonly acked?: number;
}
let readyOffset = 0;
/** Times in ms after T0. */
function delivered(rollout_id: string, { ready: at = 0, taken, acked }: Times, init: Partial<DeliveryRow> = {}) {
  const since = (ms: number | undefined) => (ms === undefined ? null : T0 + ms);
  return sampleDelivery(readyOffset++, {
    ...{ run_id: run, unit: unitOf(rollout_id), rollout_id, readyAtMs: T0 + at, takenAtMs: since(taken) },
    ...{ endedAtMs: since(acked), ...init },
  });
}
const say = (...rows: DeliveryRow[]) => temporary.store.insert(encodeDeliveries(rows));
const lease = (id: string, granted: number, acked: number | null, init: Partial<DeliveryLeaseRow> = {}) => {
  const end = acked === null ? {} : ({ endedAtMs: T0 + acked, ended_how: 'trained', step: 1 } as const);
  const row = sampleLease(id, { run_id: run, grantedAtMs: T0 + granted, ...end, ...init });
  return temporary.store.insert(encodeDeliveryLeases([row]));
};
async function rowsOf(name: string, params: Record<string, string> = {}): Promise<Array<Record<string, unknown>>> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  return temporary.store.query(query.sql, { run, ...params });
}
const feed = async (minutes = '') => (await rowsOf('trainer_feed', { minutes }))[0];

describe('trainer_feed', () => {
  it('says how long trajectories and trainers waited, how fast they are trained, and how stale they were', async () => {
    await ready(['a', 'b', 'c', 'd', 'e', 'f']);
    await say(
      delivered('a', { ready: 0, taken: 100, acked: 1_100 }, { tokens: 1_000, waitedMs: 0, lag: 0 }),
      delivered('b', { ready: 0, taken: 300, acked: 1_300 }, { tokens: 3_000, waitedMs: 0, lag: 3 }),
      delivered('c', { ready: 1_950, taken: 2_000, acked: 4_000 }, { tokens: 500, waitedMs: 700, lag: null }),
      delivered('d', { ready: 0, taken: 4_000 }, { state: 'leased', deadlineMs: Date.now() + 3_600_000, waitedMs: 0 }),
      delivered('e', { ready: 0 }, { state: 'expired' }),
    );
    await lease('1', 100, 1_100);
    await lease('2', 300, 1_300);
    await lease('3', 2_000, 4_000, { waitedMs: 700 });
    await lease('4', 4_000, null);
    const row = await feed();
    // From the first grant at 100 to the last at 4,000: 3.9 s, three trajectories of 4,500 tokens.
    expect(row?.trajectories_per_s).toBeCloseTo(3 / 3.9, 10);
    expect(row?.tokens_per_s).toBeCloseTo(4_500 / 3.9, 10);
    expect(row).toMatchObject({
      // They waited 700 ms, and had 4,000 ms to train: 700 of 4,700 is more than a tenth.
      ...{ run_id: run, bottleneck: 'rollouts', queued: 1, leased: 1, trained: 3, expired: 1, undeliverable: 0 },
      ...{ ready_to_taken_p50_ms: 300, ready_to_taken_p99_ms: 4_000, taken_to_acked_p50_ms: 1_000 },
      ...{ taken_to_acked_p99_ms: 2_000, trainer_idle_ms: 700, ready_idle_ms: 4_400 },
      ...{ lag_min: 0, lag_mean: 1.5, lag_max: 3, lag_unknown: 1, last_lease_at: '2023-11-14 22:13:24.000' },
    });
    // f has been ready since T0, and nothing was said of it.
    const age = Date.now() - T0;
    expect(Number(row?.oldest_queued_ms)).toBeGreaterThan(age - 60_000);
    expect(Number(row?.oldest_queued_ms)).toBeLessThanOrEqual(age);
    expect(row?.queued_p50_ms).toBe(row?.oldest_queued_ms);
  });

  it('calls training the bottleneck where nobody waits and trajectories lie longer than a lease takes', async () => {
    await ready(['a', 'b']);
    await say(delivered('a', { ready: 0, taken: 5_000, acked: 6_000 }), delivered('b', { taken: 7_000, acked: 8_000 }));
    await lease('1', 5_000, 6_000);
    await lease('2', 7_000, 8_000, { waitedMs: 100 });
    // 100 of 2,100 ms: less than a tenth; they lay 6 s on average and trained for 1 s.
    expect(await feed()).toMatchObject({ bottleneck: 'training', trainer_idle_ms: 100, ready_idle_ms: 12_000 });
  });

  it('calls it balanced where neither waits for long', async () => {
    await ready(['a']);
    await say(delivered('a', { ready: 0, taken: 400, acked: 1_400 }));
    await lease('1', 400, 1_400);
    expect(await feed()).toMatchObject({ bottleneck: 'balanced', trajectories_per_s: 1, tokens_per_s: 10 });
  });

  it('looks back from the last lease by so many minutes: what was long ago does not decide', async () => {
    await ready(['a', 'b']);
    const hour = 3_600_000;
    await say(
      delivered('a', { ready: 0, taken: 9_000, acked: 10_000 }, { waitedMs: 9_000 }),
      delivered('b', { ready: hour, taken: hour + 50, acked: hour + 30_050 }),
    );
    await lease('1', 9_000, 10_000, { waitedMs: 9_000 });
    await lease('2', hour + 50, hour + 30_050);
    // All: from 0 to 3,630,050 ms; the last minute: one of 10 tokens, acked at its end.
    expect(await feed('100')).toMatchObject({ bottleneck: 'rollouts', trajectories_per_s: 2_000 / 3_630_050 });
    expect(await feed('1')).toMatchObject({
      bottleneck: 'balanced',
      trajectories_per_s: 1 / 60,
      trainer_idle_ms: 9_000,
    });
  });

  it('a run whose trajectories nobody takes has a queue, and no bottleneck', async () => {
    await ready(['a', 'b']);
    await ready(['c'], { disposition: 'drop', why: ['no_tokens'] });
    expect(await feed()).toMatchObject({
      ...{ bottleneck: '', queued: 2, trained: 0, trainer_idle_ms: 0, ready_to_taken_p50_ms: null },
      ...{ taken_to_acked_p99_ms: null, trajectories_per_s: null, lag_min: null, lag_mean: null, last_lease_at: null },
    });
  });

  it('counts what a rewind took back as queued, with the time that it has been ready', async () => {
    await ready(['a', 'b']);
    await say(delivered('a', { taken: 1, acked: 2 }, { step: 1 }), delivered('b', { taken: 1, acked: 2 }, { step: 2 }));
    await temporary.store.insert(encodeLineages([sampleLineage(1, { run_id: run, step: 1 })]));
    expect(await feed()).toMatchObject({ queued: 1, trained: 1 });
  });

  it('a fork has the states of what it took over', async () => {
    run = `${run}-fork`;
    const taken = { kind: 'fork', parent: 'p', inherited: 3, finals: { trained: 1, expired: 1 } } as const;
    await temporary.store.insert(encodeLineages([sampleLineage(0, { run_id: run, ...taken })]));
    await say(delivered('a', {}, { unit: 'p/0/r/a', state: 'queued', waitedMs: null }));
    expect(await feed()).toMatchObject({ queued: 1, trained: 1, expired: 1, oldest_queued_ms: expect.any(Number) });
  });
});

describe('undelivered', () => {
  it('counts what no trainer will get, by reason and lag; what waits or trained is not there', async () => {
    await ready(['a', 'b'], { lag: 2 });
    await ready(['c', 'd', 'e']);
    const stale = { state: 'expired', reason: 'too old: 9 versions behind', tokens: 7 } as const;
    await say(
      delivered('a', {}, { ...stale, version: 5n, atMs: T0 + 1 }),
      delivered('b', {}, { ...stale, version: 6n, atMs: T0 + 2 }),
      delivered('c', {}, { state: 'undeliverable', reason: 'taken 5 times', deliveries: 5 }),
      delivered('d', {}),
    );
    const rows = await rowsOf('undelivered');
    expect(rows).toEqual([
      {
        ...{ run_id: run, state: 'expired', reason: 'too old: 9 versions behind', lag: 2, trajectories: 2, tokens: 14 },
        ...{ units: 2, most_deliveries: 1, first_at: '2023-11-14 22:13:20.001', last_at: '2023-11-14 22:13:20.002' },
        last_rollout: 'b',
      },
      {
        ...{ run_id: run, state: 'undeliverable', reason: 'taken 5 times', lag: null, trajectories: 1, tokens: 10 },
        ...{ units: 1, most_deliveries: 5, first_at: '2023-11-14 22:13:20.400', last_at: '2023-11-14 22:13:20.400' },
        last_rollout: 'c',
      },
    ]);
  });
});

describe('lifetime_wall', () => {
  it('goes on to the trainer: from ready until taken, and until the step was acked', async () => {
    await ready(['queued', 'rewound', 'taken', 'trained', 'untold']);
    await say(
      delivered('trained', { ready: 50, taken: 250, acked: 2_050 }),
      delivered('taken', { ready: 50, taken: 1_050 }, { state: 'leased', deadlineMs: Date.now() + 3_600_000 }),
      delivered('rewound', { ready: 0, taken: 10, acked: 20 }, { step: 9 }),
      delivered('queued', { ready: 0 }, { state: 'queued' }),
    );
    await temporary.store.insert(encodeLineages([sampleLineage(1, { run_id: run, step: 8 })]));
    await say(delivered('taken', { ready: 50, taken: 1_050 }, { run_id: 'other' }));
    const rows = await rowsOf('lifetime_wall');
    expect(rows.map((row) => [row.rollout_id, row.rollout_ms, row.taken_after_ms, row.trainer_wait_ms])).toEqual([
      ['queued', 50_000, null, null],
      ['rewound', 50_000, 10, null],
      ['taken', 50_000, 1_000, null],
      ['trained', 50_000, 200, 2_000],
      ['untold', 50_000, null, null],
    ]);
  });
});
