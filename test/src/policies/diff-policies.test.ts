import { expect, it } from 'vitest';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { mustRead } from '../../../src/lanes/read-document.ts';
import { diffPolicies } from '../../../src/policies/diff-policies.ts';
import { scopePlaces } from '../../../src/policies/scope-places.ts';

const taxonomy = {
  categories: new Map([
    ['done', 'completion'],
    ['cost', 'budget'],
    ['wall_clock', 'budget'],
  ]),
};

const policy = (more: string, budget = 'train') =>
  mustRead(
    {
      text: `format: rollstream-policy/1
name: p
retries: 2
categories:
  completion: { disposition: train, awaits_verdict: true, unscored: null }
  budget: { disposition: ${budget}, awaits_verdict: true, unscored: 0 }
codes: {}
${more}`,
      where: 'p',
    },
    readPolicy,
  );

function changes(a: ReturnType<typeof policy>, b: ReturnType<typeof policy>): unknown[] {
  const places = [...scopePlaces(a.plain), ...scopePlaces(b.plain)];
  return diffPolicies(a.value, b.value, taxonomy, places).changes.map(({ where, field, a: ofA, b: ofB }) => [
    where,
    field,
    ofA,
    ofB,
  ]);
}

it('policies that are written otherwise and decide alike do not differ', () => {
  const spelled = 'group: { min_valid: 2, ddof: 1 }\nrules: []\nfindings: {}\n';
  expect(changes(policy(''), policy(spelled))).toEqual([]);
});

it('a category differs by each of its codes', () => {
  expect(changes(policy(''), policy('', 'drop'))).toEqual([
    ['codes.cost', 'disposition', 'train', 'drop'],
    ['codes.wall_clock', 'disposition', 'train', 'drop'],
  ]);
});

it('rules that are gone, come, or in another order', () => {
  const drop = '  - { when: { code: [cost] }, then: { disposition: drop } }\n';
  const mask = '  - { when: { scored: false }, then: { disposition: train_masked } }\n';
  const fine = '  - { when: { env: [math] }, then: { penalty: -1 } }\n';
  expect(changes(policy(`rules:\n${drop}${mask}`), policy(`rules:\n${mask}${fine}${drop}`))).toEqual([
    ['rules[1]', 'a rule', null, 'when {"env":["math"]} then {"penalty":-1}'],
    [
      'rules',
      'order',
      'rules[0] when {"code":["cost"]} then {"disposition":"drop"}; rules[1] when {"scored":false} then {"disposition":"train_masked"}',
      'rules[0] when {"scored":false} then {"disposition":"train_masked"}; rules[2] when {"code":["cost"]} then {"disposition":"drop"}',
    ],
  ]);
});

it('findings, limits and sections, those under a condition named with it', () => {
  const a = policy('findings: { silent_repair: quarantine }\nstaleness: { max_lag: 4, at_take: group }\n');
  const b = policy(`findings: { silent_repair: drop, args_lost: drop }
backoff: { first_ms: 500, factor: 2, most_ms: 60000 }
reward: { weights: { answer: 2 } }
scopes:
  - when: { env: [math], run: [r] }
    staleness: { max_lag: 8 }
`);
  expect(changes(a, b)).toEqual([
    ['findings', 'silent_repair', 'quarantine', 'drop'],
    ['findings', 'args_lost', null, 'drop'],
    ['', 'backoff.first_ms', '0', '500'],
    ['', 'reward.weights', '{}', '{"answer":2}'],
    ['', 'staleness.max_lag', '4', 'null'],
    ['', 'staleness.at_take', 'group', 'member'],
    ['run r, env math', 'staleness.max_lag', '4', '8'],
  ]);
});
