import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SCOPE } from '../../../processors/decide/policy-sections.ts';
import type { HeldVerdict } from '../../../processors/model/attempt.ts';
import type { CodeRule, RewardRule } from '../../../processors/model/policy.ts';
import type { RewardFacts } from '../../../processors/model/reward.ts';
import { sumComponents } from '../../../processors/score/sum-components.ts';

const TRAIN: CodeRule = {
  ...{ disposition: 'train', unscored: null, awaitsVerdict: true, penalty: 0 },
  ...{ required: null, inBaseline: true, retries: null },
};

const verdict = (rewards: HeldVerdict['rewards'], over: Partial<HeldVerdict> = {}): HeldVerdict => ({
  ...{ scorer: 's', scorerVersion: '1', status: 'scored', rewards, notFinite: [], boundTo: null },
  ...over,
});

function rewardOf(
  verdicts: readonly HeldVerdict[],
  rule: Partial<RewardRule> = {},
  code: Partial<CodeRule> = {},
  facts: Partial<RewardFacts> = {},
) {
  const all = { verdicts, sampledTokens: 100, malformedCalls: 0, repairedCalls: 0, ...facts };
  return sumComponents(all, { ...DEFAULT_SCOPE.reward, ...rule }, { ...TRAIN, ...code });
}

describe('a reward', () => {
  it('is the sum of its components, each under its name', () => {
    const found = rewardOf(
      [verdict({ answer: 1, format: 0.5 })],
      {
        weights: new Map([['format', 0.5]]),
        malformedCall: -0.125,
        repairedCall: -0.25,
        softOverlong: { maxTokens: 200, bufferTokens: 100, penalty: 1 },
      },
      { penalty: -0.5 },
      { sampledTokens: 125, malformedCalls: 2, repairedCalls: 1 },
    );
    // 1 + 0.25 − 0.5 − 25/100 − 0.25 − 0.25.
    expect(found).toEqual({
      ...{ reward: 0, rewardValid: true, verifierFault: null, invalid: [] },
      components: {
        ...{
          answer: 1,
          format: 0.25,
          penalty: -0.5,
          soft_overlong: -0.25,
          malformed_call: -0.25,
          repaired_call: -0.25,
        },
      },
    });
  });

  it('keeps a component of weight 0, which counts as 0, also where it is missing', () => {
    expect(rewardOf([verdict({ a: 1, b: 7 })], { otherWeight: 0, weights: new Map([['a', 2]]) })).toMatchObject({
      reward: 2,
      components: { a: 2, b: 0 },
    });
    expect(rewardOf([verdict({ a: 1, b: null })], { weights: new Map([['b', 0]]) })).toMatchObject({
      reward: 1,
      components: { a: 1, b: null },
    });
  });

  it('is invalid, not smaller, where a component is missing or not finite, and says which (case 98)', () => {
    expect(rewardOf([verdict({ a: 1, b: null })])).toMatchObject({
      ...{ reward: null, rewardValid: false, verifierFault: 'reward_missing', invalid: ['b: missing'] },
    });
    expect(rewardOf([verdict({ a: 1, b: null }, { notFinite: ['b'] })])).toMatchObject({
      ...{ reward: null, invalid: ['b: not finite'] },
    });
    expect(rewardOf([verdict({ a: 1e300 })], { otherWeight: 1e300 })).toMatchObject({
      ...{ reward: null, components: { a: null }, invalid: ['a: not finite'] },
    });
    expect(rewardOf([verdict({ a: 1e308, b: 1e308 })])).toMatchObject({ reward: null, invalid: ['sum: not finite'] });
    expect(rewardOf([verdict({})])).toMatchObject({ reward: null, verifierFault: 'reward_missing', invalid: [] });
  });

  it('is invalid where its length counts and is not known, which is no verifier’s fault', () => {
    const rule = { softOverlong: { maxTokens: 200, bufferTokens: 100, penalty: 1 } };
    const unknown = { sampledTokens: null };
    expect(rewardOf([verdict({ a: 1 })], rule, {}, unknown)).toMatchObject({
      ...{ reward: null, rewardValid: false, verifierFault: null, invalid: ['soft_overlong: missing'] },
    });
    expect(rewardOf([verdict({ a: null })], rule, {}, unknown)).toMatchObject({
      ...{ verifierFault: 'reward_missing', invalid: ['a: missing', 'soft_overlong: missing'] },
    });
    expect(rewardOf([], rule, {}, unknown)).toMatchObject({ verifierFault: 'reward_missing' });
  });

  it('needs the components that the code requires, else those of the scope, else all that a verdict names', () => {
    const answered = [verdict({ answer: 1, style: null })];
    expect(rewardOf(answered, { required: ['answer'] })).toMatchObject({ reward: 1, invalid: [] });
    expect(rewardOf(answered, { required: ['style'] })).toMatchObject({ reward: null, invalid: ['style: missing'] });
    expect(rewardOf(answered, { required: ['other'] })).toMatchObject({ reward: null, invalid: ['other: missing'] });
    expect(rewardOf(answered, { required: ['other'] }, { required: [] })).toMatchObject({ reward: 1 });
    // What is not finite is no optional silence.
    const broken = [verdict({ answer: 1, style: null }, { notFinite: ['style'] })];
    expect(rewardOf(broken, { required: ['answer'] })).toMatchObject({
      reward: null,
      invalid: ['style: not finite'],
    });
  });

  it('of a verifier that did not run by design is the policy’s; nothing required is missing then', () => {
    const notRun = [verdict({}, { status: 'not_run' })];
    expect(rewardOf(notRun, { required: ['answer'] }, { unscored: 0 })).toMatchObject({
      ...{ reward: 0, rewardValid: true, components: { unscored: 0 } },
    });
    expect(rewardOf(notRun, {}, { unscored: null })).toMatchObject({ reward: null, verifierFault: 'reward_missing' });
    const other = [verdict({ format: 1 }, { scorer: 'a' }), verdict({}, { scorer: 'b', status: 'not_run' })];
    expect(rewardOf(other, { required: ['answer'] }, { unscored: 0 })).toMatchObject({ reward: 1 });
    expect(rewardOf(other, { required: ['answer'] })).toMatchObject({ reward: null, invalid: ['answer: missing'] });
  });

  it('that is penalised is valid though the verifier never saw it; one that was asked and is silent is not', () => {
    const unasked = { penalty: -1, awaitsVerdict: false };
    expect(rewardOf([], {}, unasked)).toMatchObject({ reward: -1, rewardValid: true, components: { penalty: -1 } });
    expect(rewardOf([], {}, { ...unasked, unscored: 0.25 })).toMatchObject({
      reward: -0.75,
      components: { unscored: 0.25, penalty: -1 },
    });
    expect(rewardOf([], {}, { penalty: -1, unscored: 0 })).toMatchObject({
      reward: null,
      verifierFault: 'reward_missing',
    });
  });

  it('of a verifier that failed is null beside any other that scored; what a failed one gave is no component', () => {
    const found = rewardOf([verdict({ a: 1 }), verdict({ b: 0 }, { scorer: 'judge', status: 'crash' })]);
    expect(found).toMatchObject({ reward: null, verifierFault: 'verifier_error' });
    expect(found.components).toEqual({ a: 1 });
  });

  it('is scaled, then clipped; the components say by how much each moved it', () => {
    const found = rewardOf([verdict({ a: 3 })], { scale: 0.5, clip: { min: -1, max: 1 } });
    expect(found).toMatchObject({ reward: 1, components: { a: 3, scale: -1.5, clip: -0.5 } });
    expect(rewardOf([verdict({ a: 1e17 })], { clip: { min: -1, max: 1 } }).reward).toBe(1);
  });

  it('has rewards of turns where they are summed, by the weights of their names', () => {
    const verdicts = [
      verdict({ a: 1 }),
      verdict({ tidy: 0.5 }, { boundTo: 0 }),
      verdict({ tidy: 0.25 }, { boundTo: 1 }),
    ];
    expect(rewardOf(verdicts).components).toEqual({ a: 1 });
    const rule = { turns: 'sum', weights: new Map([['tidy', 2]]) } as const;
    expect(rewardOf(verdicts, rule)).toMatchObject({ reward: 2.5, components: { a: 1, turns: 1.5 } });
    const failed = [...verdicts, verdict({}, { boundTo: 2, status: 'timeout' })];
    expect(rewardOf(failed, rule)).toMatchObject({ reward: null, invalid: ['turns: turn 2 timeout'] });
    const missing = [...verdicts, verdict({ tidy: null }, { boundTo: 2 })];
    expect(rewardOf(missing, rule)).toMatchObject({ reward: null, invalid: ['turns: turn 2 tidy missing'] });
  });

  it('counts the highest version of each scorer alone (case 102)', () => {
    const verdicts = [verdict({ a: 0 }, { scorerVersion: '9' }), verdict({ a: 1 }, { scorerVersion: '10' })];
    expect(rewardOf(verdicts)).toMatchObject({ reward: 1, components: { a: 1 } });
    const failed = [verdict({ a: 0 }, { status: 'crash' }), verdict({ a: 1 }, { scorerVersion: '2' })];
    expect(rewardOf(failed)).toMatchObject({ reward: 1, verifierFault: null });
  });

  it('tells a verifier’s component from one of the pipeline’s own name', () => {
    expect(rewardOf([verdict({ penalty: 1, clip: 2 })], {}, { penalty: -1 }).components).toEqual({
      ...{ 's/penalty': 1, 's/clip': 2, penalty: -1 },
    });
  });
});

const score = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -2, max: 2 }));
const held = fc.record({
  scorer: fc.constantFrom('a', 'b'),
  scorerVersion: fc.constantFrom('1', '2', '10'),
  status: fc.constantFrom(
    'scored' as const,
    'scored' as const,
    'scored' as const,
    'not_run' as const,
    'crash' as const,
  ),
  rewards: fc.dictionary(fc.constantFrom('x', 'y', 'penalty'), fc.option(score), { maxKeys: 3 }),
  notFinite: fc.constant([]),
  boundTo: fc.constantFrom(null, null, 0, 1),
});
const rule = fc.record({
  weights: fc.constantFrom(new Map(), new Map([['x', 0.5]]), new Map([['y', 1e200]])),
  otherWeight: fc.constantFrom(1, 0, -2),
  required: fc.constantFrom([], ['x'], ['z']),
  malformedCall: fc.constantFrom(0, -0.1),
  repairedCall: fc.constantFrom(0, -0.2),
  softOverlong: fc.constantFrom(null, { maxTokens: 10, bufferTokens: 4, penalty: 1 }),
  turns: fc.constantFrom('apart' as const, 'sum' as const),
  scale: fc.constantFrom(1, 0.5, 1e300),
  clip: fc.constantFrom(null, { min: -1, max: 1 }),
});

it('whatever verifiers say, no NaN comes out, and a valid reward is the sum of its components', () => {
  const facts = fc.record({
    verdicts: fc.uniqueArray(held, {
      maxLength: 4,
      selector: ({ scorer, scorerVersion, boundTo }) => `${scorer} ${scorerVersion} ${boundTo}`,
    }),
    sampledTokens: fc.constantFrom(null, 0, 7, 12),
    malformedCalls: fc.nat(3),
    repairedCalls: fc.nat(3),
  });
  const code = fc.record({
    penalty: fc.constantFrom(0, -1),
    unscored: fc.constantFrom(null, 0),
    awaitsVerdict: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, rule, code, (given, by, parts) => {
      const { reward, rewardValid, components, verifierFault } = sumComponents(given, by, { ...TRAIN, ...parts });
      const values = Object.values(components);
      for (const value of [reward, ...values]) expect(value === null || Number.isFinite(value)).toBe(true);
      expect(rewardValid).toBe(reward !== null);
      // What is invalid is a verifier's fault, but for a length that nobody knows.
      const hasLength = given.sampledTokens !== null || by.softOverlong === null;
      if (rewardValid || hasLength) expect(verifierFault === null).toBe(rewardValid);
      if (reward === null) return;
      const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
      const largest = Math.max(1, ...values.map((value) => Math.abs(value ?? 0)));
      expect(Math.abs(sum - reward)).toBeLessThanOrEqual(1e-9 * largest);
    }),
    { numRuns: 500 },
  );
});
