import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { policyText } from '../harness.ts';

const problemsOf = (...changes: ReadonlyArray<readonly [string, string]>) => {
  const read = readPolicy(parse(policyText(...changes)), 'id');
  return read.kind === 'refused' ? read.problems.map(({ path, expected, got }) => [path, expected, got]) : [];
};

describe('a policy', () => {
  it('that is shipped is read: two retries, GRPO with ddof 1 and eps 1e-6, every fault retried', () => {
    const read = readPolicy(parse(policyText()), 'id');
    if (read.kind === 'refused') throw new Error('refused');
    expect(read.value.retryLimit).toBe(2);
    expect(read.value.scopeOf('run', 'env').group).toMatchObject({
      minValid: 2,
      baseline: 'grpo',
      divideByStd: true,
      ddof: 1,
      eps: 1e-6,
    });
    for (const category of ['infra_fault', 'env_fault', 'harness_fault'])
      expect(read.value.categories.get(category)?.disposition).toBe('retry');
  });

  it('is refused naming the path, what is allowed and what is there', () => {
    expect(problemsOf(['completion: { disposition: train,', 'completion: { disposition: reward,'])).toEqual([
      [
        'categories.completion.disposition',
        'one of train, train_masked, penalise, drop, retry, quarantine',
        '"reward"',
      ],
    ]);
    expect(problemsOf(['retries: 2', 'retries: -1'])).toEqual([['retries', 'a number from 0 on', '-1']]);
    expect(problemsOf(['ddof: 1', 'ddof: .nan']).map(([path]) => path)).toEqual(['group.ddof']);
    expect(problemsOf(['min_valid', 'minimum']).map(([path]) => path)).toEqual(['group.minimum']);
  });
});
