import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeStepFaults } from '../../../../src/clickhouse/tables/step-faults.ts';
import { encodeSteps } from '../../../../src/clickhouse/tables/steps.ts';
import { type TemporaryStore, temporaryStore } from '../temporary-store.ts';
import { type EventColumns, eventOfRow, eventSelect } from './event-of-row.ts';
import { sampleEvents } from './sample-events.ts';
import { sampleStep } from './sample-rows.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const owner = { topic: 'rollout.steps', term: 3 };
test('every field of any event survives the table, to the bit', async () => {
  const rows = sampleEvents({ count: 300, seed: 5 }).map((event, offset) => ({
    // Random ids repeat (the empty one does), and rows with one key replace one another.
    ...{ event: { ...event, rollout_id: `${event.rollout_id}${offset}` }, unit: 'u', partition: 2 },
    ...{ offset, cause: offset + 10, appendedAtMs: 5 },
  }));
  await temporary.store.insert(encodeSteps(rows, owner));
  const found = await temporary.store.query<EventColumns & { offset: number; cause: number; appended: number }>(
    `SELECT ${eventSelect}, offset, cause, toUnixTimestamp64Milli(appended_at) AS appended
     FROM rollstream.steps FINAL ORDER BY offset`,
  );
  expect(found.map(eventOfRow)).toEqual(rows.map(({ event }) => event));
  expect(found.map((row) => [row.offset, row.cause, row.appended])).toEqual(
    rows.map((row) => [row.offset, row.cause, 5]),
  );
});

test('a refused event is kept whole, with its reason', async () => {
  const batch = sampleEvents({ count: 60, seed: 7 });
  const rows = batch.map((event, offset) => ({
    ...{ event, reason: 'late', detail: 'after its end', unit: 'u', partition: 1 },
    ...{ offset, cause: offset, appendedAtMs: 5 },
  }));
  await temporary.store.insert(encodeStepFaults(rows, owner));
  const found = await temporary.store.query<EventColumns & { reason: string; reason_detail: string }>(
    `SELECT ${eventSelect}, reason, reason_detail FROM rollstream.step_faults FINAL ORDER BY offset`,
  );
  expect(found.map(eventOfRow)).toEqual(batch);
  expect(found[0]).toMatchObject({ reason: 'late', reason_detail: 'after its end' });
});

test('numbers that JSON cannot hold survive: NaN, infinities, -0', async () => {
  const end = { reasons: [], limit: { kind: 'cost', limit: Number.POSITIVE_INFINITY, used: -0 } };
  const rows = [Number.NaN, Number.NEGATIVE_INFINITY, -0].map((env_reward, index) =>
    sampleStep(1_000 + index, { kind: 'end', run_id: 'odd', seq: index, end: { ...end, env_reward } }),
  );
  await temporary.store.insert(encodeSteps(rows, owner));
  const found = await temporary.store.query<EventColumns>(
    `SELECT ${eventSelect} FROM rollstream.steps FINAL WHERE run_id = 'odd' ORDER BY seq`,
  );
  expect(found.map(eventOfRow)).toEqual(rows.map(({ event }) => event));
});

test('of two rows with one key the higher term wins, in another month too', async () => {
  const at = (term: number, started_at: number, event_id: string) =>
    encodeSteps([{ ...sampleStep(9, { run_id: 'twice', seq: 0, event_id, started_at }) }], { ...owner, term });
  await temporary.store.insert(at(2, 1_700_000_000_000_000, 'successor'));
  await temporary.store.insert(at(1, 1_400_000_000_000_000, 'dead lane'));
  const found = await temporary.store.query(`SELECT event_id FROM rollstream.steps FINAL WHERE run_id = 'twice'`);
  expect(found).toEqual([{ event_id: 'successor' }]);
});

test('control events of several partitions do not replace one another', async () => {
  const rows = [0, 1].map((partition) => ({
    ...sampleStep(3, {
      run_id: 'gate',
      kind: 'control',
      event_id: 'same',
      control: { type: 'gate', gate: { state: 'open' } },
    }),
    ...{ unit: '', partition },
  }));
  await temporary.store.insert(encodeSteps(rows, owner));
  const found = await temporary.store.query(
    `SELECT partition FROM rollstream.steps FINAL WHERE run_id = 'gate' ORDER BY 1`,
  );
  expect(found).toEqual([{ partition: 0 }, { partition: 1 }]);
});
