import { describe, expect, test } from 'vitest';
import { catchNaive } from './delivery/catch-naive.ts';
import { NAIVE } from './delivery/naive.ts';

/**
 * Where a search from seed 0 found the first that breaks it. The names are those of the executable model of delivery, but for
 * those from 'a floor …' on: rules that only this program has, the last eleven of units that a replay emits again. Each is explained, with the events that break it, where the rule is kept.
 */
const FIRST_SEEDS: ReadonlyArray<readonly [name: string, firstSeed: number]> = [
  ['answered before it is written', 0],
  ['"not enough" is not written', 2],
  ['first come, first served per rank', 0],
  ['records keyed by lease', 3],
  ['takeover without waiting', 6],
  ['not confirmed after the write', 431],
  ['late writes of others count', 48],
  ['ownership by number and seq alone', 5687],
  ['void records outlive older claims', 97],
  ['ack accepted after a new grant', 15],
  ['ack accepted from a lineage that was left', 1],
  ['requests without lineage', 4],
  ['rewind executed each time it is asked', 3],
  ['checkpoint named by its step alone', 15],
  ['tokens ignored', 0],
  ['acks counted for admission', 36],
  ['version names used again', 1],
  ['consumed when fetched', 15],
  ['deliveries counted by deadlines only', 2],
  ['final by entry, not by group', 3],
  ['one watermark for all runs', 0],
  ['batch indices go with their grants', 2],
  ['a floor is taken for a checkpoint', 78],
  ['what comes back is no candidate', 0],
  ['payloads looked at, and nothing else again', 564],
  ['an older version is taken all the same', 0],
  ['an older version that comes back is taken again', 1],
  ['what is replaced comes back with a rewind', 0],
  ['a newer version does not wait for an older one', 3],
  ['a newer version is replaced as soon as an older one is trained', 3],
  ['a version counts before it is whole', 0],
  ['blocked once, blocked for ever', 1],
  ['to be trained again is forgotten', 14],
  ['rows of what is forgotten are not asked', 166],
  ['versions are final one by one', 7],
  ['each version counts for admission', 1],
];
/** After a change to the simulation the first seed moves: this far it is looked for. The rarest was found in one of 2,000. */
const WITHIN = 400;

describe('the model test of delivery catches the naive version:', () => {
  test('of each rule', () => {
    expect(FIRST_SEEDS.map(([name]) => name).sort()).toEqual(Object.keys(NAIVE).sort());
  });

  test.each(FIRST_SEEDS)('%s', (name, firstSeed) => {
    for (let seed = firstSeed; seed < firstSeed + WITHIN; seed++) {
      const broken = catchNaive(name, seed);
      if (broken === null) continue;
      expect(broken).not.toMatch(/^(?:TypeError|RangeError)/);
      return;
    }
    expect.fail(`${name} is not caught by the seeds ${firstSeed} to ${firstSeed + WITHIN - 1}`);
  });
});
