import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shards } from '../../../processors/delivery/shards.ts';

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
const entriesOf = (tokens: readonly number[]) => tokens.map((size, offset) => ({ offset, tokens: size }));

it('by hand: 9, 8, 1, 1, 1 for two ranks, 10 a micro-batch', () => {
  // Two bins: 9+1, 8+1+1. Both are 10 at most, so one micro-batch a rank does; they are dealt the heaviest first.
  expect(shards(entriesOf([9, 8, 1, 1, 1]), 2, 10)).toEqual([[[0, 3]], [[1, 2, 4]]]);
});

it('by hand: 6, 6, 6, 6 for two ranks, 8 a micro-batch: two each', () => {
  // Dealt there and back: bins 0, 1, then 2 to the second rank, 3 to the first.
  expect(shards(entriesOf([6, 6, 6, 6]), 2, 8)).toEqual([
    [[0], [3]],
    [[1], [2]],
  ]);
});

it('each rank has one micro-batch where no size is asked for', () => {
  expect(shards(entriesOf([100, 1, 1]), 3, null).map((rank) => rank.length)).toEqual([1, 1, 1]);
});

it('every entry once, equal counts, none empty, balanced, no larger than asked unless alone', () => {
  const any = fc.record({
    ranks: fc.integer({ min: 1, max: 9 }),
    more: fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 }),
    micro: fc.option(fc.integer({ min: 1, max: 400 })),
  });
  fc.assert(
    fc.property(any, ({ ranks, more, micro }) => {
      const tokens = [...Array.from({ length: ranks }, (_, i) => (i * 37) % 50), ...more];
      const split = shards(entriesOf(tokens), ranks, micro);
      const load = (offsets: readonly number[]): number => sum(offsets.map((at) => tokens[at] ?? Number.NaN));
      expect(split.length).toBe(ranks);
      expect(new Set(split.map((rank) => rank.length)).size).toBe(1);
      expect(split.flat().every((one) => one.length > 0)).toBe(true);
      expect(split.flat(2).sort((a, b) => a - b)).toEqual(tokens.map((_, offset) => offset));
      const loads = split.map((rank) => load(rank.flat()));
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(Math.max(...split.flat().map(load)));
      const mayGrow = ((split[0]?.length ?? 0) + 1) * ranks <= tokens.length;
      if (micro !== null && mayGrow)
        expect(split.flat().filter((one) => one.length > 1 && load(one) > micro)).toEqual([]);
    }),
  );
});

it('100,000 entries of which each is larger than a micro-batch are split without trying every count', () => {
  const split = shards(entriesOf(Array.from({ length: 100_000 }, () => 1_000)), 8, 10);
  expect(split.map((rank) => rank.length)).toEqual(Array.from({ length: 8 }, () => 12_500));
});
