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
    expect(problemsOf(['retries: 2', 'retries: -1'])).toEqual([['retries', 'a whole number from 0 on', '-1']]);
    expect(problemsOf(['ddof: 1', 'ddof: .nan']).map(([path]) => path)).toEqual(['group.ddof']);
    expect(problemsOf(['min_valid', 'minimum']).map(([path]) => path)).toEqual(['group.minimum']);
  });

  it('counts in whole numbers, and divides by n or by n - 1', () => {
    for (const got of ['9', '0.5', '-1'])
      expect(problemsOf(['ddof: 1', `ddof: ${got}`])).toEqual([['group.ddof', '0 or 1', got]]);
    expect(problemsOf(['ddof: 1', 'ddof: 0'])).toEqual([]);
    for (const got of ['0', '1.5'])
      expect(problemsOf(['min_valid: 2', `min_valid: ${got}`])).toEqual([
        ['group.min_valid', 'a whole number from 1 on', got],
      ]);
    expect(problemsOf(['retries: 2', 'retries: 0.5'])).toEqual([['retries', 'a whole number from 0 on', '0.5']]);
    const admission = 'admission: { batch_rollouts: 0, ceilings: { math: 1.5 }, grant_ms: 0.5 }';
    expect(problemsOf(['retries: 2', `retries: 2\n${admission}`])).toEqual([
      ['admission.batch_rollouts', 'a whole number from 1 on', '0'],
      ['admission.ceilings.math', 'a whole number from 0 on', '1.5'],
      ['admission.grant_ms', 'a whole number from 1 on', '0.5'],
    ]);
  });

  it('says what expires when it is taken: a member alone where the old is dropped, nothing where it is masked', () => {
    const atTake = (staleness: string, scope = '') => {
      const text = policyText(['retries: 2', `retries: 2\nstaleness: ${staleness}\n${scope}`]);
      const read = readPolicy(parse(text), 'id');
      if (read.kind === 'refused') throw new Error(JSON.stringify(read.problems));
      return ['', 'math'].map((env) => read.value.scopeOf('run', env).staleness.atTake);
    };
    const math = (staleness: string) => `scopes: [{ when: { env: [math] }, staleness: ${staleness} }]`;
    expect(atTake('{}')).toEqual(['member', 'member']);
    expect(atTake('{ max_lag: 1, over: mask_tokens }')).toEqual(['keep', 'keep']);
    expect(atTake('{ max_lag: 1, over: mask_rollout, at_take: group }')).toEqual(['group', 'group']);
    expect(atTake('{ max_lag: 1, at_take: keep }')).toEqual(['keep', 'keep']);
    // A scope that says how the old is dropped says it for when it is taken, too; one that does not leaves it.
    expect(atTake('{ max_lag: 1, at_take: group }', math('{ max_lag: 8 }'))).toEqual(['group', 'group']);
    expect(atTake('{ max_lag: 1, at_take: group }', math('{ over: mask_tokens }'))).toEqual(['group', 'keep']);
    expect(atTake('{ over: mask_tokens }', math('{ over: drop }'))).toEqual(['keep', 'member']);
  });

  it('that says what expires needs an age by which something does, somewhere', () => {
    const staleness = (text: string) => problemsOf(['retries: 2', `retries: 2\nstaleness: ${text}`]);
    const expected = 'keep, or a max_lag or unknown by which something is too old';
    expect(staleness('{ at_take: group }')).toEqual([['staleness.at_take', expected, 'group']]);
    expect(staleness('{ at_take: keep }')).toEqual([]);
    expect(staleness('{ at_take: member, unknown: drop }')).toEqual([]);
    const scope = 'scopes: [{ when: { env: [math] }, staleness: { max_lag: 0 } }]';
    expect(staleness(`{ at_take: group }\n${scope}`)).toEqual([]);
    expect(staleness('{ max_lag: 1, at_take: rollout }')).toEqual([
      ['staleness.at_take', 'one of member, group, keep', '"rollout"'],
    ]);
  });

  it('has at most 2000 rules, which name at most 20000 things', () => {
    const withRules = (runs: readonly string[]) => {
      const rules = runs.map((run) => `{ when: { run: [${run}] }, then: { penalty: -1 } }`);
      return readPolicy({ ...parse(policyText()), rules: parse(`[${rules.join(', ')}]`) }, 'id');
    };
    const runs = (count: number) => Array.from({ length: count }, (_, i) => `r${i}`);
    expect(withRules(runs(2_000)).kind).toBe('ok');
    expect(withRules(runs(2_001))).toEqual({
      kind: 'refused',
      problems: [{ path: 'rules', expected: 'at most 2000 rules', got: '2001' }],
    });
    expect(withRules([runs(20_001).join(', ')])).toEqual({
      kind: 'refused',
      problems: [{ path: 'rules', expected: 'at most 20000 names in all of when', got: '20001' }],
    });
  });
});
