import { describe, expect, it } from 'vitest';
import type { Progress } from '../../../processors/cut/progress.ts';
import type { PastDecision } from '../../../processors/model/attempt.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, deadlineOf } from '../events.ts';
import { createTestLane, documentsOf, pastOf, policyText, recordOf } from '../harness.ts';

const UNIT = 'run/0/r/r';
const of = attemptOf();
const past = (offset: number, disposition: string, attempt = 0, rolloutId = 'r', unit = UNIT) =>
  new Map<string, PastDecision[]>([[unit, [{ rolloutId, attempt, disposition, category: 'completion', offset }]]]);

/** A lane that begins at offset 10, with this in `decisions`. */
function laneAfter(decisions: ReadonlyMap<string, PastDecision[]>) {
  const progress: Progress = {
    ...{ term: 1, frontier: 10, watermark: 10, starts: new Set<number>() },
    inForce: documentsOf().inForce,
  };
  return createTestLane({ progress, stored: () => decisions });
}

describe('units seen before', () => {
  it('the same import again adds step_faults and nothing else', () => {
    const lane = laneAfter(past(3, 'train'));
    lane.fold(...of.whole(1));
    const { step_faults, attempts, decisions, verdicts, steps } = lane.effects().rows;
    expect(step_faults.map(({ reason }) => reason)).toEqual(['late', 'late', 'late']);
    expect(verdicts.map(({ late }) => late)).toEqual([true]);
    expect([attempts, decisions, steps, lane.effects().records]).toEqual([[], [], [], []]);
  });

  it('a higher attempt opens after retry and superseded, and after nothing else', () => {
    for (const [disposition, opens] of [
      ['retry', true],
      ['superseded', true],
      ['train', false],
      ['drop', false],
      ['quarantine', false],
    ] as const) {
      const lane = laneAfter(past(3, disposition));
      lane.fold(...attemptOf({ attempt: 1 }).whole(1));
      expect(lane.effects().rows.decisions).toHaveLength(opens ? 1 : 0);
      expect(lane.effects().rows.step_faults.map(({ reason }) => reason)).toEqual(
        opens ? [] : ['already_decided', 'already_decided', 'already_decided'],
      );
    }
  });

  it('a lower attempt is a stale_attempt', () => {
    const lane = laneAfter(past(3, 'train', 1));
    lane.fold(of.start());
    expect(lane.effects().rows.step_faults.map(({ reason }) => reason)).toEqual(['stale_attempt']);
  });

  it('a decision ahead of the record, of a lane that died before its transaction, is no past', () => {
    const lane = laneAfter(past(13, 'train'));
    lane.fold(...of.whole(1));
    expect(lane.effects().rows.decisions.map(({ offset }) => offset)).toEqual([13]);
  });
});

/** Runs a log up to `frontier`, then restarts from that commit with what was decided, under other documents if given. */
function restarted(log: readonly StepEventInit[], frontier: number, documents = documentsOf()) {
  const records = log.map((event, offset) => recordOf(event, offset));
  const first = createTestLane();
  for (const record of records.slice(0, frontier)) first.foldRecords([record]);
  const { progress, effects } = first.cut();
  const decided = pastOf(effects);
  const lane = createTestLane({ progress, documents, stored: () => decided });
  for (const record of records.slice(progress.watermark)) lane.foldRecords([record]);
  return { lane, progress, before: effects };
}

describe('a rebuild', () => {
  const other = attemptOf({ rollout_id: 'b', group_id: 'g', group_size: null });
  const a = attemptOf({ rollout_id: 'a', group_id: 'g', group_size: null });

  it('judges each record by its own offset: what was decided of the same unit is not met again', () => {
    const lost = [of.start(), of.call(1), of.end(2, 'connection_error')];
    const again = attemptOf({ attempt: 1 });
    // A second unit keeps the watermark at 0.
    const log = [
      attemptOf({ rollout_id: 'open' }).start(),
      ...lost,
      again.start(),
      again.call(1),
      again.end(2),
      again.verdict(1),
    ];
    const { lane, progress } = restarted(log, 6);
    expect([progress.watermark, [...progress.starts]]).toEqual([0, [0, 4]]);
    expect(lane.effects().rows.decisions.map(({ attempt, disposition }) => [attempt, disposition])).toEqual([
      [1, 'train'],
    ]);
    expect(lane.effects().rows.step_faults).toEqual([]);
  });

  it('recalls what was decided below the frontier, and does not decide it again under another policy', () => {
    const strict = policyText(['retries: 2', 'retries: 0']);
    const log = [
      ...[a.start(), other.start(), a.call(1), a.end(2, 'connection_error')],
      ...attemptOf({ rollout_id: 'a', group_id: 'g', group_size: null, attempt: 1 }).whole(1),
    ];
    const documents = documentsOf(policyText(), strict);
    const { lane, before } = restarted(log, 4, documents);
    expect(before.rows.decisions.map(({ disposition }) => disposition)).toEqual(['retry']);
    expect(
      lane.effects().rows.decisions.map(({ attempt, disposition, offset }) => [attempt, disposition, offset]),
    ).toEqual([[1, 'train', 7]]);
  });

  it('produces no effect below the frontier, and still knows who passed', () => {
    const log = [a.start(), other.start(), ...a.whole(1).slice(1), ...a.whole(1), ...other.whole(0).slice(1)];
    const { lane } = restarted(log, 5);
    expect(lane.effects().rows.steps.every(({ offset }) => offset >= 5)).toBe(true);
    expect(lane.effects().rows.decisions.map(({ rollout_id }) => rollout_id)).toEqual(['b']);
    expect(lane.effects().rows.step_faults.map(({ reason }) => reason)).toEqual(['late', 'late', 'late']);
  });

  it('gives up again the orphans that a deadline gave up below the frontier', () => {
    const log = [
      ...[other.start(), a.call(1)],
      deadlineOf('orphan', { unit: 'run/0/g/g', unit_start: 0, rollout_id: 'a', saw: '1/1' }),
      ...[other.call(1), a.start(), a.end(2), a.verdict(1)],
    ];
    const { lane, before } = restarted(log, 4);
    expect(before.rows.step_faults.map(({ reason, offset }) => [reason, offset])).toEqual([['orphan', 1]]);
    // Its call was given up, so that a is not whole: it must not come back with the restart.
    expect(lane.effects().rows.decisions).toEqual([]);
  });
});

describe('a rebuild of a group', () => {
  it('knows that a member waits for its group without the verdict that never came', () => {
    const [a, b] = ['a', 'b'].map((rollout_id) => attemptOf({ rollout_id, group_id: 'g', group_size: 2 }));
    if (a === undefined || b === undefined) throw new Error('two members');
    const tired = deadlineOf('verdict_missing', { unit: 'run/0/g/g', unit_start: 0, rollout_id: 'a', saw: '2/3' });
    const log = [a.start(), a.call(1), a.end(2, 'timeout'), tired, b.start(), ...b.whole().slice(1)];
    for (const frontier of [0, 4, 5, 6]) {
      const { lane, before } = restarted(log, frontier);
      expect(before.records).toEqual([]);
      // Complete at 7; two with a reward are wanted, and a has none.
      expect(lane.effects().rows.decisions.map((row) => [row.rollout_id, row.why[0], row.offset])).toEqual([
        ['a', 'group_too_small', 7],
        ['b', 'group_too_small', 7],
      ]);
    }
  });
});
