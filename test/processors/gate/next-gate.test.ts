import { describe, expect, it } from 'vitest';
import type { GateVerdict, Tripped, Verdict } from '../../../processors/gate/judge-window.ts';
import { type CurrentGate, nextGate, ruleInState } from '../../../processors/gate/next-gate.ts';
import { strictestRule } from '../../../processors/gate/strictest-rule.ts';
import type { GateRule, GateState } from '../../../processors/model/gate.ts';

const RULE: GateRule = { preflight: 16, window: 256, minCount: 32, limits: new Map() };
const verdict = (said: Verdict, trajectories = 100, classes: readonly string[] = []): GateVerdict => ({
  ...{ verdict: said, enough: trajectories >= 32, trajectories, rates: [] },
  tripped: classes.map((name): Tripped => ({ ...RATE, limit: name, becomes: 'quarantine', classes: [name] })),
});
const RATE = { bound: 'max', bound_at: 0, rate: 1, low: 1, high: 1, n: 1, hits: 1 } as const;
const gate = (state: GateState, by: CurrentGate['by'] = 'evaluator', classes: readonly string[] = []): CurrentGate => ({
  ...{ state, by, classes },
});

describe('preflight', () => {
  it('opens when as many as the policy wants were decided and passed', () => {
    expect(nextGate(gate('preflight'), verdict('pass', 15), RULE)).toBeNull();
    expect(nextGate(gate('preflight'), verdict('pass', 16), RULE)).toEqual({ state: 'open', classes: [] });
    expect(nextGate(gate('preflight'), verdict('warn', 16), RULE)).toEqual({ state: 'warn', classes: [] });
  });

  it('holds as soon as something trips that would hold or quarantine', () => {
    expect(nextGate(gate('preflight'), verdict('hold', 9), RULE)).toEqual({ state: 'hold', classes: [] });
    expect(nextGate(gate('preflight'), verdict('quarantine', 9, ['a']), RULE)).toEqual({ state: 'hold', classes: [] });
  });

  it('is said once when it is the policy that wants it', () => {
    expect(nextGate(gate('preflight', null), verdict('pass', 3), RULE)).toEqual({ state: 'preflight', classes: [] });
    expect(nextGate(gate('preflight', 'evaluator'), verdict('pass', 3), RULE)).toBeNull();
  });

  it('that a person set ends by itself too, after as many as say something', () => {
    const without = { ...RULE, preflight: 0 };
    expect(nextGate(gate('preflight', 'set'), verdict('pass', 31), without)).toBeNull();
    expect(nextGate(gate('preflight', 'set'), verdict('pass', 32), without)).toEqual({ state: 'open', classes: [] });
  });

  it('looks at all of the first ones, and says something of fewer than a window would', () => {
    expect(ruleInState(RULE, { state: 'preflight' })).toMatchObject({ window: 256, minCount: 16 });
    expect(ruleInState({ ...RULE, preflight: 1000 }, { state: 'preflight' })).toMatchObject({
      ...{ window: 1000, minCount: 32 },
    });
    expect(ruleInState(RULE, { state: 'open' })).toBe(RULE);
  });
});

describe('an open gate', () => {
  it.each(['open', 'warn', 'quarantine'] as const)('in state %s follows the verdict', (state) => {
    expect(nextGate(gate(state), verdict('hold'), RULE)).toEqual({ state: 'hold', classes: [] });
    expect(nextGate(gate(state, 'evaluator', ['z']), verdict('quarantine', 100, ['b', 'a']), RULE)).toEqual({
      ...{ state: 'quarantine', classes: ['a', 'b'] },
    });
  });

  it('changes nothing where it would stay the same, or where too few were decided to say', () => {
    expect(nextGate(gate('open'), verdict('pass'), RULE)).toBeNull();
    expect(
      nextGate(gate('quarantine', 'evaluator', ['a', 'b']), verdict('quarantine', 99, ['b', 'a']), RULE),
    ).toBeNull();
    expect(nextGate(gate('warn'), verdict('pass', 31), RULE)).toBeNull();
    expect(nextGate(gate('warn'), verdict('pass', 32), RULE)).toEqual({ state: 'open', classes: [] });
  });

  it('that a person set stays, and follows again once it was released', () => {
    expect(nextGate(gate('open', 'set'), verdict('hold'), RULE)).toBeNull();
    expect(nextGate(gate('quarantine', 'set', ['a']), verdict('pass'), RULE)).toBeNull();
    expect(nextGate(gate('open', 'release'), verdict('hold'), RULE)).toEqual({ state: 'hold', classes: [] });
  });
});

it.each(['evaluator', 'set'] as const)('a hold (%s) is ended by no verdict', (by) => {
  expect(nextGate(gate('hold', by), verdict('pass'), RULE)).toBeNull();
});

it('of several environments the strictest of each value holds', () => {
  const other: GateRule = {
    ...{ preflight: 0, window: 512, minCount: 8 },
    limits: new Map([
      ['a', { max: 0, min: null, becomes: 'warn' }],
      ['b', { max: null, min: 0.9, becomes: 'hold' }],
    ] as const),
  };
  const one: GateRule = {
    ...RULE,
    limits: new Map([
      ['a', { max: 0.1, min: null, becomes: 'hold' }],
      ['b', { max: null, min: 0.5, becomes: 'warn' }],
      ['c', { max: 0, min: null, becomes: 'warn' }],
    ] as const),
  };
  expect(strictestRule([one, other])).toEqual({
    ...{ preflight: 16, window: 512, minCount: 8 },
    limits: new Map([
      ['a', { max: 0, min: null, becomes: 'hold' }],
      ['b', { max: null, min: 0.9, becomes: 'hold' }],
      ['c', { max: 0, min: null, becomes: 'warn' }],
    ]),
  });
});
