import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakDownWall } from '../../../processors/model/wall-breakdown.ts';
import { WALL_PARTS } from '../../../processors/model/wall-watch.ts';

const END = 200;
const interval = fc.record({
  part: fc.nat(WALL_PARTS.length - 1),
  from: fc.integer({ min: -20, max: END + 20 }),
  length: fc.nat(60),
});
const intervals = fc.array(interval, { maxLength: 40 });
type Interval = { readonly part: number; readonly from: number; readonly length: number };
const flat = (list: readonly Interval[]) => list.flatMap(({ part, from, length }) => [part, from, from + length]);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the parts of a wall clock', () => {
  it('are each microsecond once: their sum is the whole', () => {
    fc.assert(
      fc.property(intervals, (list) => {
        const { totalUs, partsUs } = breakDownWall(flat(list), 0, END);
        expect(sum(partsUs)).toBe(totalUs);
        expect(totalUs).toBe(END);
      }),
    );
  });

  it('do not depend on the order in which they were told', () => {
    const shuffled = intervals.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const [a, b] = [breakDownWall(flat(list), 0, END), breakDownWall(flat(other), 0, END)];
        expect(b.partsUs).toEqual(a.partsUs);
        expect(b.afterUs).toEqual(a.afterUs);
        expect(new Set(b.overlaps.map((one) => JSON.stringify(one)))).toEqual(
          new Set(a.overlaps.map((one) => JSON.stringify(one))),
        );
      }),
    );
  });

  it('are what counting microsecond by microsecond gives', () => {
    const later = ['verify', 'cleanup', 'trainer_wait'];
    const other = WALL_PARTS.indexOf('other');
    fc.assert(
      fc.property(intervals, (list) => {
        const partsUs = WALL_PARTS.map(() => 0);
        const afterUs = WALL_PARTS.map(() => 0);
        for (let us = 0; us < END + 100; us++) {
          const at = list.filter(({ from, length }) => from <= us && us < from + length).map(({ part }) => part);
          if (us < END) {
            const owner = Math.min(other, ...at);
            const place = later.includes(WALL_PARTS[owner] ?? '') ? other : owner;
            partsUs[place] = (partsUs[place] ?? 0) + 1;
          } else {
            const owner = at.filter((part) => later.includes(WALL_PARTS[part] ?? '')).sort((a, b) => a - b)[0];
            if (owner !== undefined) afterUs[owner] = (afterUs[owner] ?? 0) + 1;
          }
        }
        const broken = breakDownWall(flat(list), 0, END);
        expect(broken.partsUs).toEqual(partsUs);
        expect(broken.afterUs).toEqual(afterUs);
      }),
    );
  });
});
