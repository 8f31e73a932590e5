import fc from 'fast-check';
import { expect, it } from 'vitest';
import { finalBeside, isInRanges } from '../../../processors/delivery/final-ranges.ts';

const entry = (offset: number) => ({
  offset,
  run: 'r',
  group: '',
  size: 1,
  unit: '',
  rollout: '',
  attempt: 0,
  tokens: 0,
  versions: [],
  readyAtMs: 0,
});

it('by hand: what lies between two final entries and is of others joins them', () => {
  const entries = [2, 3, 5, 9, 12].map(entry);
  const final = finalBeside({ final: [], order: { entries } }, new Set([3, 5, 12]), 20);
  expect(final).toEqual({
    low: 2,
    final: [
      [3, 6],
      [12, 13],
    ],
  });
});

it('nothing left: all that was read is final', () => {
  const entries = [2, 3].map(entry);
  expect(finalBeside({ final: [[1, 2]], order: { entries } }, new Set([2, 3]), 7)).toEqual({ low: 7, final: [] });
});

it('an entry is final exactly once it has gone, in whatever order they go, in no more ranges than live entries', () => {
  const rounds = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 8 }), { maxLength: 6 });
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }), rounds, (own, going) => {
      const offsets = own.sort((a, b) => a - b);
      let live = offsets;
      let state: ReturnType<typeof finalBeside> = { low: 0, final: [] };
      for (const some of going) {
        const gone = new Set(some.filter((offset) => live.includes(offset)));
        state = finalBeside({ final: state.final, order: { entries: live.map(entry) } }, gone, 41);
        live = live.filter((offset) => !gone.has(offset));
        const { low, final } = state;
        for (const offset of offsets)
          expect([offset, offset < low || isInRanges(final, offset)]).toEqual([offset, !live.includes(offset)]);
        expect(final.length).toBeLessThanOrEqual(live.length);
      }
    }),
  );
});
