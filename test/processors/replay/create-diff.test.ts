import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DecisionRow } from '../../../processors/model/effects.ts';
import { createDiff } from '../../../processors/replay/create-diff.ts';
import type { DiffTally } from '../../../processors/replay/diff-tally.ts';
import { mergeTallies, NO_CHANGES } from '../../../processors/replay/merge-tallies.ts';
import { sampleDecision } from '../../src/clickhouse/tables/sample-rows.ts';
import { naiveTally, type UnitChange } from './naive-tally.ts';

function tallyOf(units: readonly UnitChange[]): DiffTally {
  const diff = createDiff();
  for (const { unit, before, after, vanished } of units) diff.add(unit, before, after, vanished);
  return diff.tally();
}

const row = (rollout_id: string, init: Partial<DecisionRow> = {}): DecisionRow => ({
  ...sampleDecision(1),
  ...{ rollout_id, advantage: null, ...init },
});

/** A few values of each kind, so that they meet; rewards whose sums are exact in any order. */
const decidedArbitrary = fc.record({
  reason_code: fc.constantFrom('task_complete', 'max_turns', 'oom'),
  category: fc.constantFrom('completion', 'infra_fault'),
  disposition: fc.constantFrom('train', 'drop', 'retry'),
  why: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  reward: fc.constantFrom(null, 0, -0, 1, -1, 0.5, 0.25),
  reward_valid: fc.boolean(),
  advantage: fc.constantFrom(null, 0, 1e-10, 0.5, -2),
});

const attemptArbitrary = fc.record({
  rollout_id: fc.constantFrom('a', 'b', 'c', 'd'),
  attempt: fc.nat(1),
  old: fc.option(decidedArbitrary, { freq: 8 }),
  now: fc.option(decidedArbitrary, { freq: 8 }),
  isSame: fc.boolean(),
});

const unitArbitrary = fc
  .tuple(
    fc.uniqueArray(attemptArbitrary, { selector: (one) => `${one.rollout_id}${one.attempt}`, maxLength: 6 }),
    fc.constantFrom('already_decided', 'group_closed'),
    fc.boolean(),
  )
  .map(([attempts, reason, isTurned]): Omit<UnitChange, 'unit'> => {
    const rows = (side: 'old' | 'now') =>
      attempts.flatMap((one) => {
        const decided = side === 'now' && one.isSame && one.old !== null ? one.old : one[side];
        return decided === null ? [] : [row(one.rollout_id, { attempt: one.attempt, ...decided })];
      });
    const after = rows('now');
    const gone = attempts.filter((one) => !after.some((a) => a.rollout_id === one.rollout_id));
    return {
      ...{ before: rows('old'), after: isTurned ? after.reverse() : after },
      vanished: gone.map((one) => ({ rolloutId: one.rollout_id, attempt: one.attempt, reason })),
    };
  });

const unitsArbitrary = fc
  .array(unitArbitrary, { maxLength: 14 })
  .map((units) => units.map((one, index): UnitChange => ({ unit: `run/0/g/${(index * 7) % 15}`, ...one })));

it('a tally is what lists of everything would give', () => {
  fc.assert(
    fc.property(unitsArbitrary, (units) => {
      expect(tallyOf(units)).toEqual(withWhy(naiveTally(units), units));
    }),
    { seed: 11, numRuns: 300 },
  );
});

it('tallies of pieces add up to the tally of the whole, however it is cut and in whatever order', () => {
  fc.assert(
    fc.property(unitsArbitrary, fc.array(fc.nat(14), { maxLength: 4 }), fc.boolean(), (units, cuts, isTurned) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, units.length)).sort((a, b) => a - b), units.length];
      const pieces = places.slice(1).map((end, index) => tallyOf(units.slice(places[index], end)));
      if (isTurned) pieces.reverse();
      expect(pieces.map(keptOf).reduce(mergeTallies, NO_CHANGES)).toEqual(keptOf(tallyOf(units)));
    }),
    { seed: 12, numRuns: 300 },
  );
});

/** As a piece is kept until all are done: JSON, which has no -0. */
function keptOf(tally: DiffTally): DiffTally {
  return JSON.parse(JSON.stringify(tally));
}

/** The oracle knows a refusal by rollout; here attempts of one rollout may be refused for one reason only. */
function withWhy(expected: DiffTally, units: readonly UnitChange[]): DiffTally {
  const refusals = new Map(
    units.flatMap(({ unit, vanished }) => vanished.map((v) => [`${unit} ${v.rolloutId} ${v.attempt}`, v.reason])),
  );
  const examples = expected.examples.map((one) =>
    one.after === null
      ? { ...one, refused: refusals.get(`${one.unit} ${one.rollout_id} ${one.attempt}`) ?? 'unknown' }
      : one,
  );
  return { ...expected, examples };
}

it('null is a value of its own, and is not 0', () => {
  const diff = createDiff();
  const before = [row('a', { reward: 0 }), row('b', { reward: null }), row('c', { reward: 3, reward_valid: false })];
  const after = [row('a', { reward: null }), row('b', { reward: 0 }), row('c', { reward: null })];
  diff.add('u', before, after, []);
  const { rewards, changed, same } = diff.tally();
  expect({ changed, same }).toEqual({ changed: 2, same: 1 });
  expect(rewards).toEqual({
    matrix: [
      { from: '0', to: 'null', n: 1, examples: ['a'] },
      { from: 'null', to: '0', n: 1, examples: ['b'] },
      { from: 'null', to: 'null', n: 1, examples: [] },
    ],
    ...{ other: 0, changed: 2, both: 0, sum_before: 0, sum_after: 0, sign_flips: 0 },
  });
});

it('a sign flips also from and to 0, a group moves by the member that moved most', () => {
  const diff = createDiff();
  diff.add(
    'run/0/g/g1',
    [
      row('a', { reward: 1, advantage: 0.5 }),
      row('b', { reward: 0, advantage: -0.5 }),
      row('c', { reward: 2, advantage: 1 }),
    ],
    [
      row('c', { reward: 3, advantage: 1 + 1e-12 }),
      row('a', { reward: -1, advantage: -1 }),
      row('b', { reward: 1, advantage: 0 }),
    ],
    [],
  );
  diff.add('run/0/g/g2', [row('d', { advantage: null })], [row('d', { advantage: 7 })], []);
  diff.add('run/0/g/g3', [row('e', { advantage: 1 })], [row('e', { advantage: 1 })], []);
  const { rewards, advantages } = diff.tally();
  expect(rewards).toMatchObject({ sign_flips: 2, both: 5, sum_before: 5, sum_after: 5, changed: 3 });
  expect(advantages).toEqual({
    ...{ groups_moved: 2, attempts_moved: 3, largest: 1.5 },
    examples: [{ unit: 'run/0/g/g1', before: 0.5, after: -1 }],
  });
});

it('is bounded: a thousand attempts are named, the first by unit; of pairs beyond a thousand there is a number', () => {
  const numbers = Array.from({ length: 1500 }, (_, index) => 1499 - index);
  const unitAt = (n: number) => `run/0/r/${String(n).padStart(4, '0')}`;
  const tallies = [numbers.slice(0, 700), numbers.slice(700)].map((piece) =>
    tallyOf(
      piece.map((n) => ({
        ...{ unit: unitAt(n), before: [row('r', { reward: 0 })], after: [row('r', { reward: n + 1 })], vanished: [] },
      })),
    ),
  );
  const { rewards, changed, examples } = tallies.reduce(mergeTallies, NO_CHANGES);
  expect(changed).toBe(1500);
  expect(examples.length).toBe(1000);
  expect([examples[0]?.unit, examples.at(-1)?.unit]).toEqual([unitAt(0), unitAt(999)]);
  expect(rewards.matrix.length).toBe(1000);
  expect(rewards.other).toBe(500);
  // 1 + 2 + … + 1500.
  expect(rewards).toMatchObject({ changed: 1500, both: 1500, sum_before: 0, sum_after: 1_125_750 });
});
