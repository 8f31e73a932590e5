import { expect, it } from 'vitest';
import { rewardScale, stacked } from '../../../../../web/src/pages/groups/reward-scale.ts';

it('rewards keep their distances, with room at both ends, and 0 is always on the line', () => {
  const { place } = rewardScale([1, 0.5]);
  expect(place(0)).toBeCloseTo(0.06);
  expect(place(0.5)).toBeCloseTo(0.5);
  expect(place(1)).toBeCloseTo(0.94);
});

it('ticks are round numbers, below 0 too', () => {
  expect(rewardScale([-1, 1]).ticks).toEqual([-1, -0.5, 0, 0.5, 1]);
  expect(rewardScale([0, 1.24]).ticks).toEqual([0, 0.25, 0.5, 0.75, 1]);
});

it('rewards that are all 0 stand in the middle', () => {
  expect(rewardScale([0, 0]).place(0)).toBe(0.5);
  expect(rewardScale([]).ticks).toEqual([0]);
});

it('dots at one place stand on each other', () => {
  expect(stacked([0.1, 0.9, 0.1, 0.1])).toEqual([0, 0, 1, 2]);
});
