import { expect, it } from 'vitest';
import { cutBatches, type EmitBatch } from '../../../../src/rescore/emit/cut-batches.ts';
import type { JudgedUnit } from '../../../../src/rescore/emit/judge-units.ts';

const unitAt = (position: number) => ({ position, runId: 'run', epoch: 0, unit: `u${position}` });
const emitted = (position: number, ...bytes: readonly number[]): JudgedUnit => ({
  ...{ unit: unitAt(position), kind: 'emitted', members: [] },
  shapes: bytes.map((size) => ({
    ...{ rolloutHex: '', attempt: 0, size: null, closedAt: 0, bytes: size, segments: 'stored' },
  })),
});
const stale = (position: number): JudgedUnit => ({ unit: unitAt(position), kind: 'left_out', reason: 'stale' });

/** One page for every two of them. */
async function batchesOf(units: readonly JudgedUnit[], mostBytes?: number): Promise<EmitBatch[]> {
  async function* pages() {
    for (let from = 0; from < units.length; from += 2) yield units.slice(from, from + 2);
  }
  const batches: EmitBatch[] = [];
  for await (const batch of cutBatches(pages(), mostBytes)) batches.push(batch);
  return batches;
}

/** Emitted places, how many are stale, and the first place behind. */
const cut = async (units: readonly JudgedUnit[], mostBytes: number) =>
  (await batchesOf(units, mostBytes)).map(({ emitted: own, leftOut, next }) => [
    own.map(({ unit }) => unit.position),
    leftOut.get('stale') ?? 0,
    next,
  ]);

it('units go together up to the limit, and one that is above it alone, whole', async () => {
  expect(
    await cut([emitted(5, 40, 20), emitted(6, 40), emitted(7, 1), emitted(8, 300, 300), emitted(9, 1)], 100),
  ).toEqual([
    [[5, 6], 0, 7],
    [[7], 0, 8],
    [[8], 0, 9],
    [[9], 0, 10],
  ]);
});

it('what is left out is counted once, with what comes before it', async () => {
  expect(await cut([stale(0), emitted(1, 60), stale(2), stale(3), emitted(4, 60), stale(5)], 100)).toEqual([
    [[1], 3, 4],
    [[4], 1, 6],
  ]);
  expect(await cut([stale(0), stale(1)], 100)).toEqual([[[], 2, 2]]);
  expect(await cut([], 100)).toEqual([]);
});

it('a transaction has 500 units at most, since its commit names them', async () => {
  const units = Array.from({ length: 1_001 }, (_, position) => emitted(position, 1));
  expect((await batchesOf(units)).map((batch) => batch.emitted.length)).toEqual([500, 500, 1]);
});
