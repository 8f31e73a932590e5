import { expect, it } from 'vitest';
import { createReplayRate } from '../../../src/observe/replay-rate.ts';

it('knows nothing before anything was read', () => {
  expect(createReplayRate(() => 0).recordsPerSecond()).toBeNull();
});

it('is that of the last rebuild that read something', () => {
  const rate = createReplayRate(() => 0);
  rate.read(0, 500);
  rate.rebuilt(0, 2);
  rate.read(0, 10);
  rate.rebuilt(1, 3);
  expect(rate.recordsPerSecond()).toBe(250);
});

it('is that of the busiest second where no rebuild read anything', () => {
  let ms = 0;
  const rate = createReplayRate(() => ms);
  rate.rebuilt(0, 1);
  for (const [at, records] of [
    [0, 300],
    [1000, 300],
    [5000, 1],
    [7000, 1],
  ] as const) {
    ms = at;
    rate.read(0, records);
  }
  expect(rate.recordsPerSecond()).toBe(600);
});
