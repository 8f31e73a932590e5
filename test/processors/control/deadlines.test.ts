import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deadlineEvent, policyEvent } from '../../../processors/control/control-event.ts';
import { createDeadlines } from '../../../processors/control/deadlines.ts';
import { attemptOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, timeOf } from '../harness.ts';

const SECOND = 1000;
const LIMITS = {
  ...{ gapMs: 30 * SECOND, orphanMs: 30 * SECOND, verdictMs: 600 * SECOND, idleMs: 900 * SECOND },
  ...{ groupMs: 3600 * SECOND, lifetimeMs: 86_400 * SECOND },
};
const of = attemptOf();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function watched(policy = policyText(), documents = documentsOf(policy)) {
  const lane = createTestLane({ documents });
  const deadlines = createDeadlines(lane.state, LIMITS, lane.pipeline);
  /** Deadlines that are due so many seconds after the record at `offset`. */
  const dueAfter = (seconds: number, offset = lane.position() - 1) => {
    deadlines.watchOpened(lane.state.opened.splice(0));
    return deadlines.due(timeOf(offset) + seconds * SECOND);
  };
  /** Writes into the log what is due, which acts there. */
  const act = (seconds: number, offset?: number) => {
    const due = dueAfter(seconds, offset);
    lane.fold(...due.map(deadlineEvent));
    return due.map(({ name }) => name);
  };
  return { lane, dueAfter, act };
}

describe('deadlines', () => {
  it.each([
    ['a missing seq', [of.start(), of.call(2)], 30, 'gap'],
    ['a start that never comes', [of.call(1)], 30, 'orphan'],
    ['a verdict that never comes', of.whole().slice(0, 3), 600, 'verdict_missing'],
    ['silence', [of.start(), of.call(1)], 900, 'idle'],
  ] as const)('of %s is due when its time has passed, not before, and once', (_, events, seconds, name) => {
    const { lane, dueAfter } = watched();
    lane.fold(...events);
    const last = lane.position() - 1;
    for (let after = 10; after < seconds; after += 10) expect(dueAfter(after, last)).toEqual([]);
    const due = [];
    for (let after = seconds; after < seconds + 120; after += 10) due.push(...dueAfter(after, last));
    expect(due.map((one) => one.name)).toEqual([name]);
  });

  it('written into the log and read back close what they were about', () => {
    const { lane, act } = watched();
    lane.fold(of.start(), of.call(2));
    expect(act(31)).toEqual(['gap']);
    expect(lane.effects().rows.decisions).toMatchObject([{ reason_code: 'missing_step', offset: 2 }]);
    expect(act(3600)).toEqual([]);
  });

  it('of a lifetime close an attempt that is never silent', () => {
    const { lane, dueAfter } = watched();
    lane.fold(of.start());
    const names: string[] = [];
    // An event every ten minutes: 1,000 records of a second, and the clock runs ahead of them.
    for (let minutes = 10; minutes <= 24 * 60; minutes += 10) {
      const [unit] = lane.state.units.values();
      const [attempt] = unit?.attempts.values() ?? [];
      if (attempt !== undefined) attempt.lastAtMs = timeOf(0) + minutes * 60 * SECOND;
      names.push(...dueAfter(minutes * 60, 0).map(({ name }) => name));
    }
    expect(names).toEqual(['lifetime']);
  });

  it('of a group close it incomplete', () => {
    const { lane, act } = watched();
    const group = { group_id: 'g', group_size: 3 };
    for (const rollout_id of ['a', 'b']) lane.fold(...attemptOf({ ...group, rollout_id }).whole(1));
    expect(act(3500, 0)).toEqual([]);
    expect(act(3601, 0)).toEqual(['group_incomplete']);
    expect(lane.effects().rows.decisions.map(({ disposition }) => disposition)).toEqual(['train', 'train']);
  });

  it('close what another policy does not wait for any more, though nothing else comes', () => {
    const impatient = policyText([
      'completion: { disposition: train, awaits_verdict: true',
      'completion: { disposition: train, awaits_verdict: false',
    ]);
    const documents = documentsOf(policyText(), impatient);
    const { lane, act } = watched(policyText(), documents);
    lane.fold(...of.whole().slice(0, 3));
    lane.fold(policyEvent({ ...documents.inForce, policy_id: sha256(impatient) }, 'impatient'));
    // The policy's event is a second younger than the end.
    expect(act(598)).toEqual([]);
    expect(act(600)).toEqual(['verdict_missing']);
    expect(lane.effects().rows.decisions).toMatchObject([
      { disposition: 'quarantine', why: ['reward_missing', 'task_complete'] },
    ]);
  });

  it('see nothing of what has closed', () => {
    const { lane, dueAfter } = watched();
    lane.fold(...of.whole(1));
    expect(dueAfter(100_000)).toEqual([]);
  });

  it('are those of the policy in force where it has its own, by run and environment; a lifetime only shortens', () => {
    const text = `${policyText()}deadlines: { verdict_ms: 60000, lifetime_ms: 999000000 }
scopes:
  - when: { run: [slow] }
    deadlines: { idle_ms: 5000 }
`;
    const { lane, dueAfter } = watched(text);
    lane.fold(...of.whole().slice(0, 3));
    expect(dueAfter(59)).toEqual([]);
    expect(dueAfter(60).map(({ name }) => name)).toEqual(['verdict_missing']);
    const slow = watched(text);
    const other = attemptOf({ run_id: 'slow' });
    slow.lane.fold(other.start(), other.call(1));
    expect(slow.dueAfter(4)).toEqual([]);
    expect(slow.dueAfter(6).map(({ name }) => name)).toEqual(['idle']);
  });

  it('of a run that is deleted close what it has open at once, and nothing of another run', () => {
    const lane = createTestLane({});
    const ending = new Set<string>();
    const deadlines = createDeadlines(lane.state, LIMITS, { ...lane.pipeline, ending: () => ending });
    const [gone, group] = [attemptOf({ run_id: 'gone' }), attemptOf({ run_id: 'gone', group_id: 'g', group_size: 3 })];
    const orphan = attemptOf({ run_id: 'gone', rollout_id: 'late' });
    lane.fold(gone.start(), ...group.whole(1), orphan.call(1), of.start());
    expect(deadlines.due(timeOf(0))).toEqual([]);
    ending.add('gone');
    const due = deadlines.due(timeOf(0));
    expect(due.map(({ unit }) => unit.runId)).toEqual(['gone', 'gone', 'gone']);
    expect(deadlines.due(timeOf(0))).toEqual([]);
    lane.fold(...due.map(deadlineEvent));
    expect([...lane.state.units.values()].map(({ runId }) => runId)).toEqual(['run']);
    expect(lane.effects().rows.decisions.map(({ run_id }) => run_id)).toEqual(['gone', 'gone']);
  });
});
