import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnitHistory } from '../../../processors/model/replay.ts';
import type { ReplayLaneDeps } from '../../../processors/replay/replay-lane.ts';
import { attemptOf, deadlineOf } from '../events.ts';
import { linesOf } from './histories.ts';
import { anyLog, decidedRows, type Lived, laneOf, live, rowsOf } from './random-lived.ts';
import { lived, PATIENT, replayed, rowsOf as rowsOfOne } from './scene.ts';

/** What a naive reader of the history would give a replay lane in place of it. */
interface Naive {
  readonly over?: (lived: Lived) => Partial<ReplayLaneDeps>;
  readonly unit?: (unit: UnitHistory, lived: Lived) => UnitHistory;
}

const lastOffset = Number.MAX_SAFE_INTEGER;
const NAIVE: Record<string, Naive> = {
  in_force_as_of_the_end: {
    over: ({ history }) => ({ history: { ...history, inForceAt: () => history.inForceAt(lastOffset) } }),
  },
  in_force_as_of_the_start: {
    over: ({ history }) => ({ history: { ...history, inForceAt: () => history.inForceAt(0) } }),
  },
  producers_never_end: { over: ({ history }) => ({ history: { ...history, endings: [] } }) },
  late_is_in_time: { over: () => ({ late: 'use' }) },
  without_deadlines: {
    unit: (unit) => ({ ...unit, records: unit.records.filter(({ event }) => event.kind !== 'control') }),
  },
  one_opening_after_another: {
    // Each opening by itself: what was decided in an earlier one is not known.
    unit: (unit) => ({
      ...unit,
      records: unit.records.slice(Math.max(0, unit.records.findIndex(isSecondStart(unit)))),
    }),
  },
};

function isSecondStart({ decided, records }: UnitHistory) {
  const first = Math.min(...decided.map(({ offset }) => offset));
  return ({ event, cause }: UnitHistory['records'][number]) =>
    records.length > 0 && event.kind === 'start' && cause.offset > first;
}

describe('a naive replay is caught:', () => {
  it.each(Object.entries(NAIVE))('%s', (_, { over, unit: changed }) => {
    const isSame = fc.property(...anyLog, (plan, first, reorderEvents) => {
      const log = live(plan, first, reorderEvents);
      const lane = laneOf(log, reorderEvents, over?.(log));
      const replays = log.histories.map((unit) => lane.replay(changed?.(unit, log) ?? unit));
      return linesOf(rowsOf(replays)).join() === linesOf([decidedRows(log)]).join();
    });
    expect(fc.check(isSame, { numRuns: 400, endOnFailure: true, seed: 7 }).failed).toBe(true);
  });

  it('accepted_records_only: what came behind the end is a fault, and says that the end was none', () => {
    const of = attemptOf();
    const scene = lived([PATIENT], [of.start(), of.call(1), of.end(2), of.call(3), of.verdict(1)]);
    const conflictsOf = (histories: readonly UnitHistory[]) =>
      rowsOfOne(replayed({ ...scene, histories })).decisions[0]?.conflicts;
    expect(conflictsOf(scene.histories)).toEqual(['its end says task_complete, and steps came after it']);
    const accepted = new Set(scene.effects.rows.steps.map(({ offset }) => offset));
    const naive = scene.histories.map((unit) => ({
      ...unit,
      records: unit.records.filter(({ cause }) => accepted.has(cause.offset)),
    }));
    expect(conflictsOf(naive)).toEqual([]);
  });

  it('late_verdict_is_an_event: it raises the revision, and idle, which named it, is void', () => {
    const of = attemptOf();
    const idle = deadlineOf('idle', { unit: 'run/0/r/r', unit_start: 0, rollout_id: 'r', saw: '1/2' });
    const scene = lived([PATIENT], [of.start(), of.call(1), idle, of.verdict(1)]);
    // Compared with an earlier replay, which decided elsewhere: that idle decided nobody tells.
    const histories = scene.histories.map((unit) => ({
      ...unit,
      decided: unit.decided.map((row) => ({ ...row, offset: 1 })),
    }));
    const reasonOf = (units: typeof histories) =>
      rowsOfOne(replayed({ ...scene, histories: units }, { late: 'use' })).decisions[0]?.reason_raw;
    expect(reasonOf(histories)).toBe('idle');
    const naive = histories.map((unit) => {
      const [start, ...rest] = unit.records;
      const [late] = unit.lateVerdicts;
      if (start === undefined || late === undefined) throw new Error('nothing to put in');
      return { ...unit, records: [start, { ...late, cause: start.cause }, ...rest], lateVerdicts: [] };
    });
    expect(reasonOf(naive)).toBe('lifetime');
  });
});
