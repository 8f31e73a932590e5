import { expect, it } from 'vitest';
import type { LaneStatus } from '../../../src/lanes/lanes.ts';
import { createReadiness } from '../../../src/server/readiness.ts';

const LANE: LaneStatus = {
  partition: 0,
  restored: true,
  frontier: 5,
  position: 5,
  logEnd: 5,
  openUnits: 0,
  openAttempts: 0,
};

const ALONE = { outage: () => '', mayStandBy: false };

it('is not ready before a lane is assigned, nor while one is rebuilt', () => {
  expect(createReadiness({ ...ALONE, status: () => [], now: () => 0 })()).toMatchObject({ ready: false });
  const rebuilding = createReadiness({
    ...ALONE,
    status: () => [LANE, { ...LANE, partition: 1, restored: false }],
    now: () => 0,
  });
  expect(rebuilding()).toMatchObject({ ready: false, reason: 'lane 1 is being rebuilt' });
});

it('is stuck when it has records to read and its frontier does not move for more than a minute', () => {
  let lane = { ...LANE, logEnd: 9 };
  let now = 0;
  const readiness = createReadiness({ ...ALONE, status: () => [lane], now: () => now });
  expect(readiness().ready).toBe(true);
  now = 60_000;
  expect(readiness().ready).toBe(true);
  now = 60_001;
  expect(readiness()).toMatchObject({ ready: false, reason: 'lane 0 is stuck at offset 5' });
  lane = { ...lane, frontier: 6 };
  expect(readiness().ready).toBe(true);
});

it('is not stuck when there is nothing to read, however long', () => {
  let now = 0;
  const readiness = createReadiness({ ...ALONE, status: () => [LANE], now: () => now });
  readiness();
  now = 10_000_000;
  expect(readiness().ready).toBe(true);
});

it('of a worker without a lane is ready: others have them all', () => {
  const deps = { status: () => [], now: () => 0, outage: () => '', mayStandBy: true };
  expect(createReadiness(deps)()).toEqual({ ready: true, reason: '', lanes: [] });
});

it('is not ready while a service does not answer, and says which', () => {
  let outage = 'clickhouse: connect ECONNREFUSED';
  const readiness = createReadiness({ status: () => [LANE], now: () => 0, outage: () => outage, mayStandBy: true });
  expect(readiness()).toMatchObject({ ready: false, reason: 'clickhouse: connect ECONNREFUSED' });
  outage = '';
  expect(readiness().ready).toBe(true);
});
