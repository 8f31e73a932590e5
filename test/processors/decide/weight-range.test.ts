import { describe, expect, it } from 'vitest';
import { weightRangeOf } from '../../../processors/decide/weight-range.ts';
import { NO_WEIGHTS, type RunWeights, withVersion } from '../../../processors/model/weights.ts';

const announced = (...names: readonly string[]): RunWeights | null =>
  names
    .reduce((sum, version, ordinal) => withVersion(sum, 'run', { lineage: '', version, ordinal }), NO_WEIGHTS)
    .get('run') ?? null;
const rangeOf = (versions: readonly string[], run: RunWeights | null, hasUnknown = false) =>
  weightRangeOf({ versions, hasUnknown }, run);

describe('the range of weights that sampled', () => {
  it('of one version is that version, announced or not', () => {
    for (const run of [null, announced('a'), announced('b', 'c')])
      expect(rangeOf(['a'], run)).toEqual({ min: 'a', max: 'a' });
  });

  it('is in the order of announcement, also where the names are numbers', () => {
    expect(rangeOf(['9', '10', '8'], announced('9', '10', '8'))).toEqual({ min: '9', max: '8' });
    expect(rangeOf(['b', 'a'], announced('b', 'x', 'a'))).toEqual({ min: 'b', max: 'a' });
  });

  it('is in the order of whole numbers where one was not announced, and unknown where names are not numbers', () => {
    expect(rangeOf(['10', '9'], announced('9'))).toEqual({ min: '9', max: '10' });
    expect(rangeOf(['10', '9'], null)).toEqual({ min: '9', max: '10' });
    for (const odd of ['v9', '09', '9.5', '-1', '1e3', ''])
      expect(rangeOf(['10', odd], announced('10')).min).toBeNull();
  });

  it('is unknown where a token does not say, or nothing was sampled', () => {
    expect(rangeOf(['a'], announced('a'), true)).toEqual({ min: null, max: null });
    expect(rangeOf([], announced('a'))).toEqual({ min: null, max: null });
  });
});
