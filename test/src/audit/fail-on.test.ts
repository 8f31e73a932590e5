import { describe, expect, it } from 'vitest';
import { readFailOn } from '../../../src/audit/fail-on.ts';

describe('--fail-on', () => {
  it.each([
    ['pipeline_drift>0', ['pipeline_drift', { max: 0, min: null, becomes: 'hold' }]],
    ['silent_repair > 2.5%', ['silent_repair', { max: 0.025, min: null, becomes: 'hold' }]],
    ['auditable_coverage<.95', ['auditable_coverage', { max: null, min: 0.95, becomes: 'hold' }]],
  ])('%s is a limit', (text, limit) => {
    expect(readFailOn(text)).toEqual(limit);
  });

  it.each([
    ['pipeline_drfit>0', 'did you mean pipeline_drift?'],
    ['pipeline_drift', 'pipeline_drift>0'],
    ['silent_repair>5', '5%'],
    ['silent_repair>=0', 'a class, > or <, and a rate'],
    ['silent_repair>NaN', 'a class, > or <, and a rate'],
  ])('%s is refused, and says what was meant', (text, advice) => {
    expect(() => readFailOn(text)).toThrow(advice);
  });
});
