import { expect, it } from 'vitest';
import { clockScale, evenScale } from '../../../../../web/src/pages/wall/time-scale.ts';

it('ticks of a clock are round, within the window, and few', () => {
  const { ticks, place } = clockScale(0, 4_900);
  expect(ticks).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  expect(place(2_450)).toBe(0.5);
  expect(clockScale(2_600, 2_700).ticks).toEqual([2_600, 2_620, 2_640, 2_660, 2_680, 2_700]);
});

it('an even scale gives 14 ms as much room as six minutes, and keeps the order', () => {
  const { place } = evenScale([383_000, 0, 14, 0]);
  expect([0, 14, 383_000].map(place)).toEqual([0, 0.5, 1]);
});

it('a window of no length and a single instant have a place', () => {
  expect(clockScale(5, 5).place(5)).toBe(0);
  expect(evenScale([5]).place(5)).toBe(0.5);
});
