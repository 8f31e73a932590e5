import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { policyAgainstTaxonomy } from '../../../processors/decide/policy-against-taxonomy.ts';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { mustRead } from '../../../src/lanes/read-document.ts';
import { policyFileOf, shippedPolicies, shippedPolicyFile } from '../../../src/policies/shipped-policies.ts';

const taxonomyFile = packageFile('processors/taxonomy/taxonomy.yaml');
const taxonomy = mustRead({ text: readFileSync(taxonomyFile, 'utf8'), where: taxonomyFile }, readTaxonomy).value;

const shipped = (name: string) => {
  const file = shippedPolicyFile(name);
  return mustRead({ text: readFileSync(file, 'utf8'), where: file }, readPolicy);
};

it('ships the default, DAPO, a strict one, and how others do it', () => {
  expect(shippedPolicies()).toEqual([
    ...['dapo', 'default', 'harbor', 'nemo-rl', 'prime-rl', 'skyrl', 'strict', 'trl', 'verl'],
  ]);
});

describe.each(shippedPolicies())('the policy %s', (name) => {
  it('names itself, and has a rule for every code of the taxonomy and for none else', () => {
    const read = shipped(name);
    expect(read.value.name).toBe(name);
    expect(read.faultsOf(policyAgainstTaxonomy(read.value, taxonomy)).map(({ message }) => message)).toEqual([]);
    for (const [code, category] of taxonomy.categories)
      expect(read.value.rulesAt({ code, category, system: '', envName: '', runId: '' }).from, code).not.toBe('');
  });

  it('never rewards a fault, never trains what is unknown or cancelled, and never takes a silent verifier for 0', () => {
    const { value: policy } = shipped(name);
    for (const category of ['env_fault', 'infra_fault', 'harness_fault'])
      expect(['retry', 'drop', 'train_masked'], category).toContain(policy.categories.get(category)?.disposition);
    for (const category of ['unknown', 'cancelled', 'verifier_fault'])
      expect(['quarantine', 'drop'], category).toContain(policy.categories.get(category)?.disposition);
    for (const found of ['silent_repair', 'args_lost', 'think_call_executed', 'parser_loss', 'pipeline_drift'])
      expect(policy.findings.get(found), found).toBe('quarantine');
  });
});

it('dapo filters groups without spread, and has the numbers of the paper', () => {
  const { group, reward } = shipped('dapo').value.scopeOf('run', 'env');
  expect(group).toMatchObject({ baseline: 'grpo', divideByStd: true, zeroVariance: 'drop' });
  expect(reward.softOverlong).toEqual({ maxTokens: 20480, bufferTokens: 4096, penalty: 1 });
});

it('a name is a shipped policy unless a file is called so', () => {
  expect(policyFileOf('/nowhere', 'dapo')).toBe(shippedPolicyFile('dapo'));
  expect(policyFileOf('/nowhere', 'mine.yaml')).toBe('/nowhere/mine.yaml');
  expect(policyFileOf('/nowhere', './dapo')).toBe('/nowhere/dapo');
  expect(policyFileOf(packageFile(), 'docs')).toBe(packageFile('docs'));
});
