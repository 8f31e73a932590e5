import { expect, it } from 'vitest';
import { createQuotaBucket, MOST_OVERDRAWN } from '../../../src/runs/quota-bucket.ts';

it('gives a second of events at once, and then as many as time goes by', () => {
  const bucket = createQuotaBucket(10, 0);
  for (let n = 0; n < 10; n++) expect(bucket.isLeft(10, 0) && bucket.take(10, 0)).toBe(true);
  expect(bucket.isLeft(10, 0)).toBe(false);
  expect(bucket.isLeft(10, 99)).toBe(false);
  expect(bucket.isLeft(10, 100)).toBe(true);
});

it('what was not used is kept for a second, not for longer', () => {
  const bucket = createQuotaBucket(10, 0);
  for (let n = 0; n < 10; n++) expect(bucket.take(10, 3_600_000)).toBe(true);
  expect(bucket.isLeft(10, 3_600_000)).toBe(false);
});

it('a body that has begun goes on, and the next one waits until that is made up for', () => {
  const bucket = createQuotaBucket(10, 0);
  for (let n = 0; n < 55; n++) expect(bucket.take(10, 0)).toBe(true);
  // 45 owed and one to begin with, ten a second.
  expect(bucket.waitSeconds(10, 0)).toBe(5);
  expect(bucket.isLeft(10, 4_500)).toBe(false);
  expect(bucket.isLeft(10, 4_600)).toBe(true);
});

it('one body overdraws so much and no more, and who has to wait for hours is told to ask in a minute', () => {
  const bucket = createQuotaBucket(1, 0);
  let taken = 0;
  while (bucket.take(1, 0)) taken += 1;
  expect(taken).toBe(1 + MOST_OVERDRAWN);
  expect(bucket.waitSeconds(1, 0)).toBe(60);
});

it('less than one event a second is one after so long', () => {
  const bucket = createQuotaBucket(0.25, 0);
  expect(bucket.isLeft(0.25, 0) && bucket.take(0.25, 0)).toBe(true);
  expect(bucket.waitSeconds(0.25, 0)).toBe(4);
  expect(bucket.isLeft(0.25, 3_900)).toBe(false);
  expect(bucket.isLeft(0.25, 4_000)).toBe(true);
  expect(bucket.isFull(0.25, 4_000)).toBe(true);
});

it('another rate holds from then on', () => {
  const bucket = createQuotaBucket(1, 0);
  bucket.take(1, 0);
  expect(bucket.waitSeconds(1, 0)).toBe(1);
  expect(bucket.isLeft(1_000, 1)).toBe(true);
  expect(bucket.isFull(1_000, 500)).toBe(false);
  expect(bucket.isFull(1_000, 1_001)).toBe(true);
});
