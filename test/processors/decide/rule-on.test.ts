import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { type RuledAttempt, ruleOn } from '../../../processors/decide/rule-on.ts';
import type { HeldVerdict } from '../../../processors/model/attempt.ts';
import type { Scored } from '../../../processors/model/judgement.ts';
import type { Policy } from '../../../processors/model/policy.ts';
import type { RewardFacts } from '../../../processors/model/reward.ts';
import { sumComponents } from '../../../processors/score/sum-components.ts';
import { verdictFactsOf } from '../../../processors/score/verdict-facts.ts';
import { policyText } from '../harness.ts';

const DEFAULT = policyOf(policyText());

function policyOf(text: string): Policy {
  const read = readPolicy(parse(text), 'id');
  if (read.kind === 'refused') throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** The default policy with these rules in place of its own. */
function withRules(rules: string): Policy {
  return policyOf(policyText().replace(/^rules:\n[\s\S]*?\n\n/m, `rules:\n${rules}\n\n`));
}

interface Case extends Partial<Scored> {
  readonly attempt?: number;
  readonly env?: string;
  readonly run?: string;
  readonly purpose?: 'train' | 'eval';
  readonly expiredBy?: string | null;
  readonly findings?: readonly string[];
  readonly sampled?: number;
  readonly system?: string;
  readonly attribution?: 'policy' | 'env' | 'unknown' | null;
  /** What the verifier scored; null: it did not run by design; undefined: no verdict. */
  readonly score?: number | null | undefined;
}

interface Ruled extends RuledAttempt {
  readonly facts: RewardFacts;
}

function ruled(policy: Policy, code: string, category: string, of: Case = {}) {
  const verdicts: HeldVerdict[] =
    of.score === undefined
      ? []
      : [
          {
            ...{ scorer: 's', scorerVersion: '1', boundTo: null, notFinite: [] },
            status: of.score === null ? ('not_run' as const) : ('scored' as const),
            rewards: of.score === null ? {} : { score: of.score },
          },
        ];
  const attempt: Ruled = {
    number: of.attempt ?? 0,
    identity: { run_id: of.run ?? 'run', env_name: of.env ?? 'env', purpose: of.purpose ?? 'train' },
    expiredBy: of.expiredBy ?? null,
    audited: { findings: (of.findings ?? []).map((name) => ({ class: name })) },
    missingTokens: false,
    segments: [{ chunks: [{ sampledTokens: of.sampled ?? 3 }] }],
    facts: { verdicts, sampledTokens: of.sampled ?? 3, malformedCalls: 0, repairedCalls: 0 },
  };
  const { verifierStatus, verifierFault } = verdictFactsOf(verdicts);
  const scored: Scored = {
    reasons: [
      {
        ...{ code, category, raw: code, system: of.system ?? 'harbor', detail: null, after_end: false },
        attribution: of.attribution ?? null,
      },
    ],
    ...{ code, category, finishReason: 'stop', verifierStatus, verifierFault, conflicts: [] },
    ...{ infraShare: of.infraShare ?? null, policyShare: null, reward: null, rewardValid: false, components: {} },
  };
  const judgement = ruleOn(attempt, scored, policy, ({ facts }, rule, by) => sumComponents(facts, rule, by));
  const { ruling, rule, why, reward, rewardValid, inLoss, inBaseline } = judgement;
  return { ruling, rule, why, reward, rewardValid, inLoss, inBaseline };
}

describe('a wall-clock end', () => {
  const wall = (of: Case) => ruled(DEFAULT, 'wall_clock', 'budget', { score: 1, ...of });

  it('of unknown share is masked; of the policy’s own time it trains; of the infrastructure’s it is masked', () => {
    expect(wall({})).toMatchObject({ ruling: 'train_masked', rule: 'codes.wall_clock', inLoss: false });
    expect(wall({ infraShare: 0 })).toMatchObject({ ruling: 'train', rule: 'rules[0]', reward: 1, inLoss: true });
    expect(wall({ infraShare: 0.25 })).toMatchObject({ ruling: 'train', rule: 'rules[0]' });
    expect(wall({ infraShare: 0.26 })).toMatchObject({ ruling: 'train_masked', rule: 'codes.wall_clock' });
  });

  it('of the policy’s own time is 0 where no verifier ran by design: a time-out is no way out', () => {
    expect(wall({ infraShare: 0.1, score: null })).toMatchObject({ ruling: 'train', reward: 0, rewardValid: true });
  });

  it('is dropped under one policy and scores 0 with its name under another (case 78)', () => {
    const drops = policyOf(policyText(['wall_clock: { disposition: train_masked', 'wall_clock: { disposition: drop']));
    const scores = policyOf(
      policyText([
        'wall_clock: { disposition: train_masked, awaits_verdict: true, unscored: null }',
        'wall_clock: { disposition: train, awaits_verdict: true, unscored: 0 }',
      ]),
    );
    expect(ruled(drops, 'wall_clock', 'budget', { score: 0 })).toMatchObject({
      ...{ ruling: 'drop', reward: null, why: ['wall_clock'], rule: 'codes.wall_clock' },
    });
    expect(ruled(scores, 'wall_clock', 'budget', { score: null })).toMatchObject({
      ...{ ruling: 'train', reward: 0, why: ['wall_clock'], inLoss: true, inBaseline: true },
    });
  });
});

describe('a time-out or out-of-memory of a tool', () => {
  const timeout = (of: Case) => ruled(DEFAULT, 'tool_timeout', 'env_fault', of);

  it('is the policy’s own, the environment’s, or of unknown cause, and is treated so', () => {
    expect(timeout({ attribution: 'policy', score: 0 })).toMatchObject({
      ruling: 'train',
      reward: 0,
      rule: 'rules[1]',
    });
    expect(timeout({ attribution: 'env', attempt: 1 })).toMatchObject({
      ...{ ruling: 'retry', rule: 'categories.env_fault' },
    });
    expect(timeout({ attribution: 'unknown' })).toMatchObject({ ruling: 'retry', rule: 'rules[2]' });
    expect(timeout({ attribution: 'unknown', attempt: 1 })).toMatchObject({
      ...{ ruling: 'drop', why: ['tool_timeout', 'retries_exhausted'], rule: 'rules[2]' },
    });
    expect(timeout({ attempt: 1 })).toMatchObject({ ruling: 'retry', rule: 'categories.env_fault' });
  });
});

describe('what an audit found', () => {
  it('quarantines with an invalid reward, whatever the verifier said, and at once (cases 47, 54, 58)', () => {
    for (const name of ['think_call_executed', 'silent_repair', 'args_lost', 'parser_loss', 'pipeline_drift'])
      expect(ruled(DEFAULT, 'task_complete', 'completion', { findings: [name], score: 1 })).toMatchObject({
        ...{ ruling: 'quarantine', rewardValid: false, rule: `findings.${name}` },
      });
    for (const score of [1, 0, null, undefined])
      expect(ruled(DEFAULT, 'task_complete', 'completion', { findings: ['silent_repair'], score })).toMatchObject({
        ...{ ruling: 'quarantine', reward: null, rewardValid: false, inLoss: false, inBaseline: false },
        ...{ rule: 'findings.silent_repair', why: ['silent_repair', 'task_complete'] },
      });
  });

  it('and no policy speaks of changes nothing', () => {
    expect(ruled(DEFAULT, 'task_complete', 'completion', { findings: ['bpe_split'], score: 1 })).toMatchObject({
      ...{ ruling: 'train', reward: 1, rule: 'categories.completion' },
    });
  });

  it('of several classes the first of the policy decides, not the first that was found', () => {
    const of = { findings: ['parser_loss', 'silent_repair'], score: 1 };
    expect(ruled(DEFAULT, 'task_complete', 'completion', of).rule).toBe('findings.silent_repair');
  });

  it('may mask, but lets nothing train that its code does not', () => {
    const masks = policyOf(policyText(['silent_repair: quarantine', 'silent_repair: train_masked']));
    const of = { findings: ['silent_repair'], score: 1 };
    expect(ruled(masks, 'task_complete', 'completion', of)).toMatchObject({
      ...{ ruling: 'train_masked', rule: 'findings.silent_repair', reward: null, inBaseline: false },
    });
    expect(ruled(masks, 'env_crash', 'env_fault', of)).toMatchObject({ ruling: 'retry', rule: 'categories.env_fault' });
    expect(ruled(masks, 'task_complete', 'completion', { ...of, purpose: 'eval' })).toMatchObject({
      ...{ ruling: 'drop', why: ['purpose', 'silent_repair', 'task_complete'] },
    });
  });
});

describe('the first exception that applies is laid over the rule', () => {
  it('by code, category, system, environment and run', () => {
    const policy = withRules(
      [
        '  - { when: { code: [cost], env: [math] }, then: { disposition: drop } }',
        '  - { when: { category: [budget], system: [slime] }, then: { disposition: train_masked } }',
        '  - { when: { run: [trial] }, then: { disposition: quarantine } }',
      ].join('\n'),
    );
    const cost = (of: Case) => ruled(policy, 'cost', 'budget', { score: 1, ...of });
    expect(cost({})).toMatchObject({ ruling: 'train', rule: 'categories.budget' });
    expect(cost({ env: 'math', system: 'slime' })).toMatchObject({ ruling: 'drop', rule: 'rules[0]' });
    expect(cost({ system: 'slime' })).toMatchObject({ ruling: 'train_masked', rule: 'rules[1]' });
    expect(cost({ run: 'trial' })).toMatchObject({ ruling: 'quarantine', rule: 'rules[2]' });
    expect(ruled(policy, 'task_complete', 'completion', { run: 'trial', score: 1 })).toMatchObject({
      ...{ ruling: 'quarantine', rule: 'rules[2]' },
    });
  });

  it('and what it does not say stays as the code has it', () => {
    const policy = withRules('  - { when: { code: [cost] }, then: { penalty: -0.5 } }');
    expect(ruled(policy, 'cost', 'budget', { score: 1 })).toMatchObject({ ruling: 'train', reward: 0.5 });
    expect(ruled(policy, 'cost', 'budget', { score: null })).toMatchObject({ ruling: 'train', reward: -0.5 });
  });

  it('by a finding that nothing else speaks of', () => {
    const policy = withRules('  - { when: { finding: [bpe_split] }, then: { disposition: train_masked } }');
    const of = { findings: ['bpe_split'], score: 1 };
    expect(ruled(policy, 'task_complete', 'completion', of)).toMatchObject({
      ...{ ruling: 'train_masked', rule: 'rules[0]', reward: 1, inBaseline: true },
    });
  });

  it('by whether it was scored, when no verdict is to come any more', () => {
    const policy = withRules('  - { when: { category: [budget], scored: false }, then: { disposition: drop } }');
    const cost = (of: Case) => ruled(policy, 'cost', 'budget', of);
    expect(cost({})).toMatchObject({ ruling: 'wait' });
    expect(cost({ score: 1 })).toMatchObject({ ruling: 'train', rule: 'categories.budget' });
    expect(cost({ score: null })).toMatchObject({ ruling: 'drop', rule: 'rules[0]' });
    expect(cost({ expiredBy: 'verdict_missing' })).toMatchObject({ ruling: 'drop', rule: 'rules[0]' });
  });
});

describe('of a code', () => {
  it('in_baseline: false trains and leaves the baseline alone', () => {
    const policy = policyOf(
      policyText([
        'codes:\n',
        'codes:\n  cost: { disposition: train, awaits_verdict: true, unscored: 0, in_baseline: false }\n',
      ]),
    );
    expect(ruled(policy, 'cost', 'budget', { score: 0 })).toMatchObject({ inLoss: true, inBaseline: false, reward: 0 });
  });

  it('a rate limit is retried, a verifier that did not answer is not 0 (cases 77, 79)', () => {
    expect(ruled(DEFAULT, 'rate_limited', 'infra_fault', { score: 0 })).toMatchObject({
      ruling: 'retry',
      reward: null,
    });
    expect(ruled(DEFAULT, 'task_complete', 'completion', { expiredBy: 'verdict_missing' })).toMatchObject({
      ...{ ruling: 'quarantine', reward: null, inBaseline: false },
    });
  });

  it('retries outrank those of the policy', () => {
    const policy = policyOf(
      policyText([
        'codes:\n',
        'codes:\n  llm_error: { disposition: retry, awaits_verdict: false, unscored: null, retries: 5 }\n',
      ]),
    );
    expect(ruled(policy, 'llm_error', 'infra_fault', { attempt: 4 }).ruling).toBe('retry');
    expect(ruled(policy, 'llm_error', 'infra_fault', { attempt: 5 }).ruling).toBe('drop');
    expect(ruled(policy, 'worker_lost', 'infra_fault', { attempt: 2 }).ruling).toBe('drop');
  });

  it('and a category that nobody has a rule for, it is quarantined by no rule', () => {
    expect(ruled(DEFAULT, 'x', 'y', { score: 1 })).toMatchObject({ ruling: 'quarantine', rule: '' });
  });
});

it('a policy asked about more places than it remembers answers as before', () => {
  const policy = withRules('  - { when: { run: [r1] }, then: { disposition: drop } }');
  const of = (run: string) => ruled(policy, 'cost', 'budget', { run, score: 1 }).ruling;
  expect(of('r1')).toBe('drop');
  for (let i = 0; i < 5000; i += 1)
    policy.rulesAt({ code: 'cost', category: 'budget', system: '', envName: '', runId: `n${i}` });
  expect(of('r1')).toBe('drop');
  expect(of('n1')).toBe('train');
});
