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

it('is not ready before a lane is assigned, nor while one is rebuilt', () => {
  expect(
    createReadiness(
      () => [],
      () => 0,
    )(),
  ).toMatchObject({ ready: false });
  const rebuilding = createReadiness(
    () => [LANE, { ...LANE, partition: 1, restored: false }],
    () => 0,
  );
  expect(rebuilding()).toMatchObject({ ready: false, reason: 'lane 1 is being rebuilt' });
});

it('is stuck when it has records to read and its frontier does not move for more than a minute', () => {
  let lane = { ...LANE, logEnd: 9 };
  let now = 0;
  const readiness = createReadiness(
    () => [lane],
    () => now,
  );
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
  const readiness = createReadiness(
    () => [LANE],
    () => now,
  );
  readiness();
  now = 10_000_000;
  expect(readiness().ready).toBe(true);
});
