import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DecisionInit } from '../../../schemas/generated/decision.ts';
import { readAccounting } from '../../../src/clickhouse/accounting.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes, type OpenAttempt } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeReleased } from '../../../src/clickhouse/tables/released.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleDecision, sampleStep } from './tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

/** Each test has a topic and a run of its own. */
let serial = 0;
let run = '';
let topic = '';
beforeEach(() => {
  run = `run-${++serial}`;
  topic = `topic-${serial}`;
});

const store = () => temporary.store;
const attempt = (rollout_id: string, offset: number, term = 1, number = 0) =>
  store().insert(
    encodeAttempts([sampleStep(offset, { run_id: run, rollout_id, attempt: number, start: {} })], { topic, term }),
  );
const decision = (rollout_id: string, offset: number, init: Partial<DecisionInit> = {}, term = 1) =>
  store().insert(
    encodeDecisions([sampleDecision(offset, { run_id: run, unit: `${run}/0/r/${rollout_id}`, rollout_id, ...init })], {
      ...{ topic, term },
    }),
  );
const lane = (frontier: number, open: string[] = [], term = 1) =>
  store().insert(
    encodeLanes([{ partition: 0, frontier, watermark: frontier, open: open.map(openAttempt) }], { topic, term }),
  );
const openAttempt = (rollout_id: string): OpenAttempt => ({
  ...{ run_id: run, epoch: 0, unit: `${run}/0/r/${rollout_id}`, rollout_id, attempt: 0 },
});
const restored = (term: number, frontier: number) =>
  store().insert(encodeTerms([{ partition: 0, restored: frontier }], { topic, term }));
const books = async () => (await readAccounting(store(), { runId: run })).runs[0];

test('each disposition has its book, by the counted reason, and they balance', async () => {
  await restored(1, 0);
  const decided: [string, Partial<DecisionInit>][] = [
    ['a', { disposition: 'train' }],
    ['b', { disposition: 'train_masked' }],
    ['c', { disposition: 'penalise' }],
    ['d', { disposition: 'drop', why: ['no_tokens'], reason_code: 'task_complete' }],
    ['e', { disposition: 'drop', why: ['purpose'], purpose: 'eval' }],
    ['f', { disposition: 'quarantine', why: ['unknown'] }],
    ['g', { disposition: 'retry', why: ['retry:connection_error'] }],
    ['h', { disposition: 'superseded', why: ['higher_attempt'] }],
    ['i', { disposition: 'drop', why: ['no_tokens'] }],
  ];
  for (const [index, [rollout, init]] of decided.entries()) {
    await attempt(rollout, index);
    await decision(rollout, 100 + index, init);
  }
  await attempt('still', 50);
  await lane(200, ['still']);
  expect(await books()).toEqual({
    ...{
      run_id: run,
      started: 10,
      ready: 3,
      open: 1,
      held: 0,
      lost: 0,
      superseded: 1,
      balanced: true,
      inherited: 0,
      re_emitted: 0,
    },
    not_taken_in: {},
    rejected: { no_tokens: 2, purpose: 1, unknown: 1, 'retry:connection_error': 1 },
    ready_states: { queued: 3, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 },
  });
});

test('it does not balance without one of its decisions', async () => {
  await restored(1, 0);
  await attempt('a', 1);
  await attempt('b', 2);
  await decision('a', 3);
  await lane(10);
  expect(await books()).toMatchObject({ started: 2, ready: 1, balanced: false });
  await decision('b', 4);
  expect(await books()).toMatchObject({ started: 2, ready: 2, balanced: true });
});

test('it does not balance without one of its attempts', async () => {
  await restored(1, 0);
  await decision('a', 3);
  await lane(10);
  expect(await books()).toMatchObject({ started: 0, ready: 1, balanced: false });
  await attempt('a', 1);
  expect(await books()).toMatchObject({ started: 1, ready: 1, balanced: true });
});

test('it does not balance without the row of its lane', async () => {
  await restored(1, 0);
  await attempt('a', 1);
  await decision('a', 3);
  expect(await books()).toMatchObject({ balanced: false });
  await lane(10);
  expect(await books()).toMatchObject({ balanced: true });
});

test('a disposition without a book does not balance', async () => {
  await restored(1, 0);
  await attempt('a', 1);
  await decision('a', 3, { disposition: 'unknown' });
  await lane(10);
  expect(await books()).toMatchObject({ balanced: false });
});

test('rows above the frontier of the lane do not count yet', async () => {
  await restored(1, 0);
  await attempt('a', 1);
  await decision('a', 3);
  await attempt('b', 12);
  await decision('b', 14);
  await lane(10);
  expect(await books()).toMatchObject({ started: 1, ready: 1, balanced: true });
});

test('what a dead owner inserted above the frontier that its successor was restored at never counts', async () => {
  await restored(1, 0);
  await lane(10);
  await attempt('r', 5);
  await decision('r', 10, { disposition: 'retry', why: ['retry:env_fault'] });
  await attempt('r', 20, 1, 1);
  // It dies before its transaction. The next owner runs another build, which decides @10 otherwise and refuses @20.
  await restored(2, 10);
  await lane(10, ['r'], 2);
  await decision('r', 10, { disposition: 'train' }, 2);
  await lane(30, [], 2);
  expect(await books()).toMatchObject({ started: 1, ready: 1, rejected: {}, balanced: true });
});

test('a late insert of a zombie loses to what its successor wrote', async () => {
  await restored(1, 0);
  await attempt('r', 5);
  await restored(2, 8);
  await lane(30, [], 2);
  await decision('r', 10, { disposition: 'train' }, 2);
  await decision('r', 10, { disposition: 'drop', why: ['zombie'] }, 1);
  expect(await books()).toMatchObject({ started: 1, ready: 1, rejected: {}, balanced: true });
});

test('a repeat of the same rows changes nothing, and replays are not counted', async () => {
  await restored(1, 0);
  for (const _ of [1, 2]) {
    await attempt('a', 1);
    await decision('a', 3);
  }
  await decision('a', 3, { replay_id: 'what-if', disposition: 'drop', why: ['other policy'] });
  await lane(10);
  expect(await books()).toMatchObject({ started: 1, ready: 1, rejected: {}, balanced: true });
});

test('without a run, all runs are there, each with its own books', async () => {
  await restored(1, 0);
  await attempt('a', 1);
  await decision('a', 3);
  await lane(10);
  const { runs } = await readAccounting(store());
  expect(runs.find(({ run_id }) => run_id === run)).toMatchObject({ started: 1, ready: 1, balanced: true });
  expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(runs.length);
});

test('what is held is open, until the forwarder has moved it: then it is ready', async () => {
  await restored(1, 0);
  await attempt('a', 0);
  await attempt('b', 1);
  await decision('a', 100, { held: true });
  await decision('b', 101, { held: true });
  await lane(200);
  expect(await books()).toMatchObject({ started: 2, ready: 0, open: 2, held: 2, balanced: true });
  await store().insert(
    encodeReleased([
      { run_id: run, epoch: 0, unit: `${run}/0/r/a`, rollout_id: 'a', attempt: 0, held_offset: 7, atMs: 0 },
    ]),
  );
  expect(await books()).toMatchObject({ started: 2, ready: 1, open: 1, held: 1, balanced: true });
});
