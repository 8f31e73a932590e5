import { describe, expect, it } from 'vitest';
import {
  MOST_RUNS,
  MOST_VERSIONS,
  NO_WEIGHTS,
  type WeightsByRun,
  type WeightsEvent,
  withVersion,
} from '../../../processors/model/weights.ts';

const event = (version: string, ordinal: number, lineage = ''): WeightsEvent => ({ lineage, version, ordinal });
const fold = (...events: readonly WeightsEvent[]): WeightsByRun =>
  events.reduce((sum, one) => withVersion(sum, 'run', one), NO_WEIGHTS);
const heldBy = (weights: WeightsByRun) => {
  const run = weights.get('run');
  return run === undefined ? null : { current: run.current, names: Object.fromEntries(run.ordinals) };
};

describe('weights versions in force', () => {
  it('are in the order of their ordinals; the last is the one being updated', () => {
    expect(heldBy(fold(event('x', 0), event('a', 1), event('b', 2)))).toEqual({
      current: 2,
      names: { x: 0, a: 1, b: 2 },
    });
  });

  it('do not change by a repeat, an older one, one without a name, or one without a place', () => {
    const held = fold(event('x', 0), event('a', 1));
    for (const void_ of [event('a', 1), event('x', 0), event('new', 1), event('', 2), event('n', -1), event('n', 0.5)])
      expect(withVersion(held, 'run', void_)).toBe(held);
  });

  it('keep the first that had a name: a later one of that name is void', () => {
    const held = fold(event('x', 0), event('a', 1));
    expect(withVersion(held, 'run', event('x', 2))).toBe(held);
    expect(withVersion(held, 'run', event('x', 2, 'rewound'))).toBe(held);
  });

  it('of a lineage that was left are no more from where the new one begins; what it still announces is void', () => {
    const rewound = fold(event('v0', 0), event('v1', 1), event('v2', 2), event('w1', 1, 'second'));
    expect(heldBy(rewound)).toEqual({ current: 1, names: { v0: 0, w1: 1 } });
    expect(withVersion(rewound, 'run', event('v3', 3))).toBe(rewound);
    expect(heldBy(withVersion(rewound, 'run', event('w2', 2, 'second')))).toEqual({
      current: 2,
      names: { v0: 0, w1: 1, w2: 2 },
    });
  });

  it('are bounded: the newest of a run, and the runs that announced last', () => {
    const many = Array.from({ length: MOST_VERSIONS + 5 }, (_, i) => event(`v${i}`, i));
    const names = [
      ...(fold(...many)
        .get('run')
        ?.ordinals.keys() ?? []),
    ];
    expect([names.length, names[0], names.at(-1)]).toEqual([MOST_VERSIONS, 'v5', `v${MOST_VERSIONS + 4}`]);
    let runs: WeightsByRun = NO_WEIGHTS;
    for (let run = 0; run < MOST_RUNS; run++) runs = withVersion(runs, `${run}`, event('v', 0));
    runs = withVersion(runs, '0', event('w', 1));
    runs = withVersion(runs, 'new', event('v', 0));
    expect([runs.size, runs.has('0'), runs.has('1'), [...runs.keys()].at(-1)]).toEqual([MOST_RUNS, true, false, 'new']);
  });
});
