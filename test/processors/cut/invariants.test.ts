import { describe, expect, it } from 'vitest';
import { checkLane } from '../../../processors/cut/invariants.ts';
import type { Attempt, Unit } from '../../../processors/model/attempt.ts';
import { attemptOf } from '../events.ts';
import { createTestLane, type TestLane } from '../harness.ts';

/** Each relation, broken: a check that cannot fail holds nothing. */
const BROKEN: ReadonlyArray<[said: RegExp, (lane: TestLane, attempt: Attempt, unit: Unit) => void]> = [
  [/is held as/, ({ state }, _, unit) => state.units.set('another', unit)],
  [/under another id/, (_, attempt, unit) => unit.attempts.set('another', attempt)],
  [/maxSeq 0 below nextSeq 2/, (_, attempt) => Object.assign(attempt, { maxSeq: 0 })],
  [/seq 1 waits, though it was folded/, (_, attempt) => attempt.waiting?.set(1, waitingOf(attempt))],
  [/seq 2 waits, though it is the next/, (_, attempt) => attempt.waiting?.set(2, waitingOf(attempt))],
  [/folded beyond its end/, (_, attempt) => Object.assign(attempt, { end: { reasons: [] }, endSeq: 0 })],
  [/folded without its start/, (_, attempt) => Object.assign(attempt, { start: null })],
  [/says 6 tokens and holds 5/, (_, attempt) => Object.assign(attempt.segments[0] ?? {}, { length: 6 })],
  [/openAttempts is 2, open are 1/, ({ state }) => Object.assign(state, { openAttempts: 2 })],
  [/open, but empty/, ({ state }, _, unit) => Object.assign(state, { openAttempts: 0 }) && unit.attempts.clear()],
  [
    /attempt 0 was decided/,
    (_, __, unit) => unit.decided.set('r', { attempt: 0, disposition: 'drop', category: 'completion' }),
  ],
  [/above the frontier/, (_, __, unit) => Object.assign(unit, { start: 99 })],
  [/older than its unit/, (_, __, unit) => Object.assign(unit, { start: 1 })],
];

function waitingOf(attempt: Attempt) {
  const [waiting] = attempt.waiting?.values() ?? [];
  if (waiting === undefined) throw new Error('nothing waits');
  return waiting;
}

describe('the relations of a lane', () => {
  it.each(BROKEN)('fail where they are broken: %s', (said, damage) => {
    const lane = createTestLane();
    const of = attemptOf();
    lane.fold(of.start(), of.call(1), of.call(3));
    const [unit] = lane.state.units.values();
    const [attempt] = unit?.attempts.values() ?? [];
    if (unit === undefined || attempt === undefined) throw new Error('nothing is open');
    expect(checkLane(lane.state, lane.position())).toBeNull();
    damage(lane, attempt, unit);
    expect(checkLane(lane.state, lane.position())).toMatch(said);
  });
});
