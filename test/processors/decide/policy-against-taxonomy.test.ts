import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { policyAgainstTaxonomy } from '../../../processors/decide/policy-against-taxonomy.ts';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';

const taxonomy = {
  categories: new Map([
    ['done', 'completion'],
    ['cost', 'budget'],
    ['wall_clock', 'budget'],
  ]),
  rank: new Map([
    ['budget', 0],
    ['completion', 1],
  ]),
};
const RULE = '{ disposition: train, awaits_verdict: true, unscored: 0 }';

function problemsOf(more: string, categories = ['completion', 'budget']): string[] {
  const text = `format: rollstream-policy/1
name: p
retries: 2
categories: { ${categories.map((name) => `${name}: ${RULE}`).join(', ')} }
codes: {}
${more}`;
  const read = readPolicy(parse(text), 'id');
  if (read.kind === 'refused') throw new Error(JSON.stringify(read.problems));
  return policyAgainstTaxonomy(read.value, taxonomy).map(
    ({ path, expected, got, otherPath }) =>
      `${path}: ${expected}: ${got}${otherPath === undefined ? '' : ` / ${otherPath}`}`,
  );
}

it('a policy that speaks of what the taxonomy has, and of all its categories, has no problem', () => {
  expect(problemsOf('rules: [{ when: { code: [cost] }, then: { penalty: -1 } }]')).toEqual([]);
});

it('codes and categories that the taxonomy has not are named where they stand', () => {
  expect(problemsOf('', ['completion', 'budget', 'bugdet'])).toEqual([
    'categories.bugdet: a category of the taxonomy: bugdet',
  ]);
  expect(problemsOf('rules: [{ when: { code: [cost, csot], category: [budget, x] }, then: { penalty: -1 } }]')).toEqual(
    ['rules[0].when.code[1]: a code of the taxonomy: csot', 'rules[0].when.category[1]: a category of the taxonomy: x'],
  );
});

it('a category without a rule is named: it would be quarantined unasked', () => {
  expect(problemsOf('', ['completion'])).toEqual(['categories: a rule for budget, which the taxonomy has: none']);
});

it('a rule of a code can never fire behind one of its category, nor with another category', () => {
  expect(
    problemsOf(`rules:
  - { when: { category: [budget] }, then: { penalty: -1 } }
  - { when: { code: [wall_clock] }, then: { penalty: -2 } }
`),
  ).toEqual(['rules[1]: a case that rules[0] does not decide already: {"code":["wall_clock"]} / rules[0]']);
  expect(problemsOf('rules: [{ when: { code: [cost], category: [completion] }, then: { penalty: -1 } }]')).toEqual([
    'rules[0].when.code: a code of completion: cost of budget / rules[0].when.category',
  ]);
});
