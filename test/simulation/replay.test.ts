import { describe, expect, test } from 'vitest';
import type { SimulationConfig } from '../../src/simulate/simulation.ts';
import { type Comparison, compareSeed } from './replay/live-and-replay.ts';

/** More by hand: REPLAY_SEEDS=100. */
const SEEDS = Number(process.env.REPLAY_SEEDS ?? 6);
const CRASHES = 6;

interface Kind {
  readonly name: string;
  readonly audits: 'anew' | 'stored';
  readonly config: Partial<SimulationConfig>;
}

const KINDS: readonly Kind[] = [
  { name: 'of a lane that crashes', audits: 'anew', config: { crashes: CRASHES } },
  { name: 'of a lane whose gates move', audits: 'stored', config: { crashes: CRASHES, gated: true } },
  { name: 'of a lane without faults', audits: 'stored', config: { crashes: 0 } },
  { name: 'of what a log has not lost', audits: 'stored', config: { crashes: CRASHES, forgets: true } },
];

describe('a replay under the documents that were in force gives the rows, row for row,', () => {
  test.each(KINDS)(
    '$name',
    async ({ name, audits, config }) => {
      const comparison: Comparison = { failures: [], dispositions: new Set() };
      for (let seed = 0; seed < SEEDS; seed++)
        await compareSeed({ crashes: CRASHES, ...config, seed: `${name} ${seed}` }, audits, comparison);
      expect(comparison.failures).toEqual([]);
      const kept = ['train_masked', 'retry', 'drop', 'superseded'];
      expect([...comparison.dispositions]).toEqual(expect.arrayContaining(kept));
    },
    300_000,
  );
});
