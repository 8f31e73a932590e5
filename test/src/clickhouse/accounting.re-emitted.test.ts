import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readAccounting } from '../../../src/clickhouse/accounting.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { type DeliveryRow, encodeDeliveries } from '../../../src/clickhouse/tables/deliveries.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeReplayEmitted } from '../../../src/clickhouse/tables/replay-emitted.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleDelivery } from './tables/sample-deliveries.ts';
import { sampleDecision, sampleStep } from './tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

let temporary: TemporaryStore;
const store = () => temporary.store;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

/** Three rollouts of which each is ready, in a run and a pipeline of their own. */
let serial = 0;
let run = '';
let prefix = '';
let at = 0;
beforeEach(async () => {
  run = `run-${++serial}`;
  prefix = `p${serial}.`;
  const owner = { topic: `${prefix}rollout.steps`, term: 1 };
  const rollouts = ['a', 'b', 'c'];
  const starts = rollouts.map((rollout_id, i) => sampleStep(i, { run_id: run, rollout_id, start: {} }));
  const decisions = rollouts.map((rollout_id, i) =>
    sampleDecision(3 + i, { run_id: run, rollout_id, unit: unitOf(rollout_id) }),
  );
  await store().insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  await store().insert(encodeAttempts(starts, owner));
  await store().insert(encodeDecisions(decisions, owner));
  await store().insert(encodeLanes([{ partition: 0, frontier: 6, watermark: 0, open: [] }], owner));
});

const unitOf = (rollout: string) => `${run}/0/r/${rollout}`;
const emit = (rollouts: readonly string[], topic = `${prefix}trajectories.ready`, replay_id = 'p') =>
  store().insert(
    encodeReplayEmitted(
      rollouts.map((rollout_id, position) => ({
        ...{ replay_id, run_id: run, epoch: 0, unit: unitOf(rollout_id), rollout_id, attempt: 0, topic, position },
        ...{ atMs: 1_700_000_000_000, version: 1n },
      })),
    ),
  );
const told = (rollout_id: string, init: Partial<DeliveryRow>): DeliveryRow =>
  sampleDelivery(at++, { run_id: run, unit: unitOf(rollout_id), rollout_id, ...init });
const say = (...rows: DeliveryRow[]) => store().insert(encodeDeliveries(rows));
const books = async () => (await readAccounting(store(), { runId: run })).runs[0];
const NONE = { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 };

test('what a replay wrote to ready is queued until something is said of it', async () => {
  await emit(['a', 'b']);
  expect(await books()).toMatchObject({
    ready: 3,
    re_emitted: 2,
    ready_states: { ...NONE, queued: 5 },
    balanced: true,
  });
});

test('of two versions one is trained, the other replaced or waiting', async () => {
  await emit(['a', 'b']);
  // a: the new one is trained in the place of the old one. b: the old one is, the new one waits. c: nobody has taken it.
  await say(
    told('a', { state: 'replaced', reason: 'replaced by replay p' }),
    told('a', { replay_id: 'p' }),
    told('b', {}),
  );
  const ready_states = { ...NONE, queued: 2, trained: 2, replaced: 1 };
  expect(await books()).toMatchObject({ re_emitted: 2, ready_states, balanced: true });
});

test('written to another topic it is not ready again', async () => {
  await emit(['a'], 'elsewhere');
  await emit(['b'], 'other.trajectories.ready');
  expect(await books()).toMatchObject({ re_emitted: 0, ready_states: { ...NONE, queued: 3 }, balanced: true });
});

test('it does not balance where a version is delivered that no replay is known to have written', async () => {
  await emit(['a']);
  await say(told('a', { replay_id: 'p' }), told('b', { replay_id: 'p' }));
  expect(await books()).toMatchObject({ re_emitted: 1, balanced: false });
});

test('it does not balance where one version is at two places of the topic', async () => {
  await emit(['a']);
  await say(told('a', { replay_id: 'p' }), told('a', { replay_id: 'p', state: 'replaced' }));
  expect(await books()).toMatchObject({ re_emitted: 1, ready_states: { ...NONE, queued: 3, trained: 1, replaced: 1 } });
  expect((await books())?.balanced).toBe(false);
});

test('two replays of one unit are two versions', async () => {
  await emit(['a']);
  await emit(['a'], `${prefix}trajectories.ready`, 'q');
  await say(told('a', { state: 'replaced' }), told('a', { replay_id: 'p', state: 'replaced' }));
  const ready_states = { ...NONE, queued: 3, replaced: 2 };
  expect(await books()).toMatchObject({ re_emitted: 2, ready_states, balanced: true });
});
