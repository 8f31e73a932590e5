import { expect, test } from 'vitest';
import { createHeldRollouts, heldBytes } from '../../../src/ingest/held-rollouts.ts';

test('beyond the limit the longest untouched come out, and are known to be given', () => {
  const held = createHeldRollouts<string>(100);
  held.touch('a', 'A', 40);
  held.touch('b', 'B', 40);
  held.touch('a', 'A', 10);
  expect(held.overflow()).toEqual([]);
  held.touch('c', 'C', 20);
  expect(held.overflow()).toEqual(['B']);
  expect([held.isGiven('b'), held.isGiven('a'), held.get('b'), held.get('a')]).toEqual([true, false, undefined, 'A']);
  expect([...held.drain()]).toEqual(['A', 'C']);
});

test('the last that was touched stays, however large', () => {
  const held = createHeldRollouts<string>(100);
  held.touch('a', 'A', 1);
  held.touch('b', 'B', 1_000);
  expect(held.overflow()).toEqual(['A']);
  expect(held.overflow()).toEqual([]);
});

test('what is removed is held no more, and was not given', () => {
  const held = createHeldRollouts<string>(100);
  held.touch('a', 'A', 90);
  held.remove('a');
  held.touch('b', 'B', 90);
  expect(held.overflow()).toEqual([]);
  expect(held.isGiven('a')).toBe(false);
});

test('what a value takes grows with its text and its numbers', () => {
  expect(heldBytes({ text: 'x'.repeat(1_000) })).toBeGreaterThan(2_000);
  expect(heldBytes(Array.from({ length: 1_000 }, (_, i) => i))).toBeGreaterThan(8_000);
});
