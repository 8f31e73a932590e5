import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DecisionInit } from '../../../schemas/generated/decision.ts';
import { readAccounting } from '../../../src/clickhouse/accounting.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { type DeliveryRow, encodeDeliveries } from '../../../src/clickhouse/tables/deliveries.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages, type LineageRow } from '../../../src/clickhouse/tables/lineages.ts';
import { encodeReleased } from '../../../src/clickhouse/tables/released.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleDelivery, sampleLineage } from './tables/sample-deliveries.ts';
import { sampleDecision, sampleStep } from './tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

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
  await store().insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});

const store = () => temporary.store;
const LATER = Date.now() + 3_600_000;
const unitOf = (rollout_id: string, of = run) => `${of}/0/r/${rollout_id}`;

async function ready(rollouts: readonly string[], init: Partial<DecisionInit> = {}): Promise<void> {
  const of = (rollout_id: string) => ({ run_id: run, rollout_id });
  const starts = rollouts.map((rollout_id) => sampleStep(offset++, { ...of(rollout_id), start: {} }));
  const decisions = rollouts.map((rollout_id) =>
    sampleDecision(offset++, { ...of(rollout_id), unit: unitOf(rollout_id), ...init }),
  );
  await store().insert(encodeAttempts(starts, owner));
  await store().insert(encodeDecisions(decisions, owner));
  await store().insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
}

let readyOffset = 0;
const delivered = (rollout_id: string, init: Partial<DeliveryRow> = {}): DeliveryRow =>
  sampleDelivery(readyOffset++, { run_id: run, unit: unitOf(rollout_id), rollout_id, ...init });
const say = (...rows: DeliveryRow[]) => store().insert(encodeDeliveries(rows));
const rewind = (lineage: number, step: number, init: Partial<LineageRow> = {}) =>
  store().insert(encodeLineages([sampleLineage(lineage, { run_id: run, step, ...init })]));
const books = async (runId = run) => (await readAccounting(store(), { runId })).runs[0];
const NONE = { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 };

test('what nothing was said of is queued; the rest is in the state that was said last', async () => {
  await ready(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const released = delivered('f', { state: 'queued', version: 9n });
  await say(
    delivered('a', { state: 'leased', deadlineMs: LATER }),
    delivered('b'),
    delivered('c', { state: 'expired' }),
    delivered('d', { state: 'undeliverable' }),
    delivered('e', { state: 'trainer_rejected' }),
    { ...released, state: 'leased', deadlineMs: LATER, version: 8n },
    released,
  );
  const states = { queued: 2, leased: 1, trained: 1, expired: 1, undeliverable: 1, trainer_rejected: 1, replaced: 0 };
  expect(await books()).toMatchObject({ ready: 7, inherited: 0, ready_states: states, balanced: true });
});

test('a lease that ran out, and one of a lineage that was left, is queued', async () => {
  await ready(['past', 'left', 'held']);
  await rewind(1, 5);
  await say(
    delivered('past', { state: 'leased', lineage: 1, step: null, deadlineMs: Date.now() - 1 }),
    delivered('left', { state: 'leased', lineage: 0, step: null, deadlineMs: LATER }),
    delivered('held', { state: 'leased', lineage: 1, step: null, deadlineMs: LATER }),
  );
  expect(await books()).toMatchObject({ ready_states: { ...NONE, queued: 2, leased: 1 }, balanced: true });
});

test('a rewind queues what was trained behind its step, not what expired; each later one does, too', async () => {
  await ready(['a', 'b', 'c', 'd', 'e']);
  await say(
    delivered('a', { lineage: 0, step: 4 }),
    delivered('b', { lineage: 0, step: 5 }),
    delivered('c', { lineage: 0, step: 6 }),
    delivered('d', { lineage: 1, step: 6 }),
    delivered('e', { state: 'expired', lineage: 0, step: null }),
  );
  await rewind(1, 5);
  // Of the first lineage steps to 5, of the second all.
  expect(await books()).toMatchObject({ ready_states: { ...NONE, queued: 1, trained: 3, expired: 1 }, balanced: true });
  await rewind(2, 4, { of_lineage: 0 });
  expect(await books()).toMatchObject({ ready_states: { ...NONE, queued: 3, trained: 1, expired: 1 }, balanced: true });
  const rows = await store().query(
    `SELECT rollout_id, state, recorded_state, step FROM rollstream.live_deliveries WHERE run_id = {run:String}
     ORDER BY rollout_id`,
    { run },
  );
  expect(rows).toEqual([
    { rollout_id: 'a', state: 'trained', recorded_state: 'trained', step: 4 },
    { rollout_id: 'b', state: 'queued', recorded_state: 'trained', step: 5 },
    { rollout_id: 'c', state: 'queued', recorded_state: 'trained', step: 6 },
    { rollout_id: 'd', state: 'queued', recorded_state: 'trained', step: 6 },
    { rollout_id: 'e', state: 'expired', recorded_state: 'expired', step: null },
  ]);
});

test('it does not balance where something was delivered that is not ready', async () => {
  await ready(['a']);
  await ready(['dropped'], { disposition: 'drop', why: ['no_tokens'] });
  await say(delivered('a'));
  expect(await books()).toMatchObject({ ready: 1, ready_states: { ...NONE, trained: 1 }, balanced: true });
  await say(delivered('dropped'));
  expect(await books()).toMatchObject({ ready: 1, ready_states: { ...NONE, trained: 2 }, balanced: false });
});

test('it does not balance where one trajectory is at two places of the topic', async () => {
  await ready(['a']);
  await say(delivered('a'), delivered('a', { state: 'queued' }));
  expect(await books()).toMatchObject({ ready: 1, ready_states: { ...NONE, trained: 1, queued: 1 }, balanced: false });
});

test('what is held is not ready: delivered all the same, it does not balance until it is released', async () => {
  await ready(['a'], { held: true });
  expect(await books()).toMatchObject({ ready: 0, held: 1, ready_states: NONE, balanced: true });
  await say(delivered('a'));
  expect(await books()).toMatchObject({ ready: 0, ready_states: { ...NONE, trained: 1 }, balanced: false });
  const key = { run_id: run, epoch: 0, unit: unitOf('a'), rollout_id: 'a', attempt: 0 };
  await store().insert(encodeReleased([{ ...key, held_offset: 1, atMs: 0 }]));
  expect(await books()).toMatchObject({ ready: 1, held: 0, ready_states: { ...NONE, trained: 1 }, balanced: true });
});

test('a fork begins with the books of its parent, and each goes on with its own', async () => {
  await ready(['a', 'b', 'c']);
  await say(
    delivered('a', { ready_offset: 1 }),
    delivered('b', { ready_offset: 2, state: 'leased', deadlineMs: LATER }),
  );
  const fork = `${run}-fork`;
  // The parent had a final one besides, of which only its number is known.
  const taken = { kind: 'fork', parent: run, inherited: 4, finals: { expired: 1 }, request: 'f' } as const;
  await store().insert(encodeLineages([sampleLineage(0, { run_id: fork, ...taken })]));
  const shared = (rollout_id: string, ready_offset: number, state: DeliveryRow['state']) =>
    delivered(rollout_id, { run_id: fork, unit: unitOf(rollout_id), ready_offset, state });
  await say(shared('a', 1, 'trained'), shared('b', 2, 'queued'));
  expect(await books(fork)).toMatchObject({ inherited: 4, balanced: false });
  await say(shared('c', 3, 'queued'));
  expect(await books(fork)).toEqual({
    ...{ run_id: fork, started: 0, ready: 0, rejected: {}, open: 0, held: 0, lost: 0, superseded: 0, balanced: true },
    ...{ ready_states: { ...NONE, queued: 2, trained: 1, expired: 1 }, inherited: 4, re_emitted: 0, not_taken_in: {} },
  });
  expect(await books()).toMatchObject({
    ...{ ready: 3, inherited: 0, ready_states: { ...NONE, queued: 1, leased: 1, trained: 1 }, balanced: true },
  });
});
