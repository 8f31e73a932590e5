import { expect, it } from 'vitest';
import { cutBatches } from '../../../../src/rescore/emit/cut-batches.ts';
import type { JudgedUnit } from '../../../../src/rescore/emit/judge-units.ts';

const unitAt = (position: number) => ({ position, runId: 'run', epoch: 0, unit: `u${position}` });
const emitted = (position: number, ...bytes: readonly number[]): JudgedUnit => ({
  ...{ unit: unitAt(position), kind: 'emitted', members: [] },
  shapes: bytes.map((size) => ({
    ...{ rolloutHex: '', attempt: 0, size: null, closedAt: 0, bytes: size, segments: 'stored' },
  })),
});
const stale = (position: number): JudgedUnit => ({ unit: unitAt(position), kind: 'left_out', reason: 'stale' });

/** Emitted places, how many are stale, and the first place behind. */
const cut = (units: readonly JudgedUnit[], mostBytes: number) =>
  [...cutBatches(units, mostBytes)].map(({ emitted: own, leftOut, next }) => [
    own.map(({ unit }) => unit.position),
    leftOut.get('stale') ?? 0,
    next,
  ]);

it('units go together up to the limit, and one that is above it alone, whole', () => {
  expect(cut([emitted(5, 40, 20), emitted(6, 40), emitted(7, 1), emitted(8, 300, 300), emitted(9, 1)], 100)).toEqual([
    [[5, 6], 0, 7],
    [[7], 0, 8],
    [[8], 0, 9],
    [[9], 0, 10],
  ]);
});

it('what is left out is counted once, with what comes before it', () => {
  expect(cut([stale(0), emitted(1, 60), stale(2), stale(3), emitted(4, 60), stale(5)], 100)).toEqual([
    [[1], 3, 4],
    [[4], 1, 6],
  ]);
  expect(cut([stale(0), stale(1)], 100)).toEqual([[[], 2, 2]]);
  expect(cut([], 100)).toEqual([]);
});

it('a transaction has 200 units at most, since its commit names them', () => {
  const units = Array.from({ length: 401 }, (_, position) => emitted(position, 1));
  expect([...cutBatches(units)].map((batch) => batch.emitted.length)).toEqual([200, 200, 1]);
});
