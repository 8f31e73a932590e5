import { describe, expect, it } from 'vitest';
import { gateEvent } from '../../../processors/control/control-event.ts';
import { type Audits, answerOf } from '../../../processors/model/audit-summary.ts';
import type { GateState } from '../../../processors/model/gate.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf } from '../events.ts';
import { createTestLane, documentsOf, type LaneOptions, policyText, type TestLane } from '../harness.ts';

const whole = (rollout_id: string, run_id = 'run') => attemptOf({ rollout_id, run_id }).whole();
let serial = 0;
const gate = (state: GateState, classes: readonly string[] = [], run = 'run') => {
  serial += 1;
  return gateEvent(run, { state, classes, seq: serial }, null, `${run}|${serial}`);
};
/** The change of that number. */
const numbered = (seq: number, state: GateState, run = 'run') =>
  gateEvent(run, { state, classes: [], seq }, null, `${run}|${seq}`);
const went = (lane: TestLane) => {
  const { records, rows } = lane.effects();
  const topics = new Map(
    records.flatMap((record) =>
      'trajectory' in record ? [[record.trajectory.rollout_id, record.topic] as const] : [],
    ),
  );
  return rows.decisions.map(({ rollout_id, disposition, held }) => [
    rollout_id,
    disposition,
    held,
    topics.get(rollout_id),
  ]);
};
const preflight = documentsOf(`${policyText()}\ngate: { preflight: 8 }\n`);

describe('a gate', () => {
  it('acts on what closes behind its event, on its run alone', () => {
    const lane = createTestLane();
    const late = whole('late');
    lane.fold(...whole('a'), ...late.slice(0, 3), gate('hold'), ...late.slice(3), ...whole('b', 'other'));
    lane.fold(...whole('c'), gate('open'), ...whole('d'));
    expect(went(lane)).toEqual([
      ['a', 'train', false, 'ready'],
      // It began before the gate closed, and closed behind it.
      ['late', 'train', true, 'held'],
      ['b', 'train', false, 'ready'],
      ['c', 'train', true, 'held'],
      ['d', 'train', false, 'ready'],
    ]);
  });

  it('holds nothing that would not be ready: what is rejected or run again goes its way', () => {
    const lane = createTestLane();
    lane.fold(gate('hold'));
    lane.fold(...attemptOf({ rollout_id: 'x' }).whole(1, 'nobody knows this'));
    lane.fold(...attemptOf({ rollout_id: 'y' }).whole(1, 'connection_error'));
    expect(went(lane)).toEqual([
      ['x', 'quarantine', false, 'rejected'],
      ['y', 'retry', false, undefined],
    ]);
  });

  it('holds a whole group in one place, in its order', () => {
    const lane = createTestLane();
    const member = (rollout_id: string) => attemptOf({ rollout_id, group_id: 'g', group_size: 2 }).whole();
    lane.fold(...member('a'), gate('hold'), ...member('b'));
    const held = lane.effects().records.flatMap((record) => ('trajectory' in record ? [record] : []));
    expect(
      held.map(({ topic, key, trajectory }) => [topic, key, trajectory.rollout_id, trajectory.group_index]),
    ).toEqual([
      ['held', 'run/0/g/g', 'a', 0],
      ['held', 'run/0/g/g', 'b', 1],
    ]);
  });

  it('is in preflight from the first trajectory on where the policy wants it, until an event says otherwise', () => {
    const lane = createTestLane({ documents: preflight });
    lane.fold(...whole('a'), gate('open'), ...whole('b'), gate('preflight'), ...whole('c'));
    expect(went(lane).map(([rollout, , held]) => [rollout, held])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
  });

  it('in state warn lets everything pass', () => {
    const lane = createTestLane();
    lane.fold(gate('warn'), ...whole('a'));
    expect(went(lane)).toEqual([['a', 'train', false, 'ready']]);
  });

  it('does not go back to a change that came late, but takes one of the same number and the next one', () => {
    const lane = createTestLane();
    lane.fold(numbered(5, 'open'), numbered(4, 'hold'), ...whole('a'), numbered(5, 'hold'), ...whole('b'));
    lane.fold(numbered(6, 'open'), ...whole('c'), numbered(1, 'hold', 'other'), ...whole('d', 'other'));
    expect(went(lane).map(([rollout, , held]) => [rollout, held])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
      // The changes of another run have numbers of their own.
      ['d', true],
    ]);
  });

  it('without a number, as builds before wrote it, is the first', () => {
    const lane = createTestLane();
    lane.fold(numbered(0, 'hold'), ...whole('a'), numbered(1, 'open'), numbered(0, 'hold'), ...whole('b'));
    expect(went(lane).map(([rollout, , held]) => [rollout, held])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('of a state that only a newer build knows changes nothing', () => {
    const lane = createTestLane();
    const event: StepEventInit = { ...gate('open'), control: { type: 'gate', gate: { state: 'half', classes: [] } } };
    lane.fold(gate('hold'), event, ...whole('a'));
    expect(went(lane)).toEqual([['a', 'train', true, 'held']]);
  });
});

describe('a quarantine', () => {
  /** Finds `coerced` in attempts of that name. */
  const audits: Audits = {
    watch: () => undefined,
    byName: {
      tools: ({ rolloutId }) =>
        answerOf(
          rolloutId.startsWith('coerced')
            ? [{ class: 'coerced', severity: 'fail', turn: 0, index: null, detail: '' }]
            : [],
        ),
    },
  };

  it('keeps back attempts with a finding of its classes, naming the gate as the rule, until it opens', () => {
    const lane = createTestLane({ audits });
    lane.fold(...whole('coerced-1'), gate('quarantine', ['coerced']), ...whole('coerced-2'), ...whole('clean'));
    lane.fold(gate('open'), ...whole('coerced-3'));
    expect(went(lane)).toEqual([
      ['coerced-1', 'train', false, 'ready'],
      ['coerced-2', 'quarantine', false, 'rejected'],
      ['clean', 'train', false, 'ready'],
      ['coerced-3', 'train', false, 'ready'],
    ]);
    const [, second] = lane.effects().rows.decisions;
    expect(second).toMatchObject({ why: ['coerced', 'task_complete'], rule: 'gate.coerced', reward_valid: false });
  });
});

describe('a restart', () => {
  it.each<[string, LaneOptions, GateState, boolean]>([
    ['hold', {}, 'hold', true],
    ['open under a policy that wants preflight', { documents: preflight }, 'open', false],
  ])('goes on with what the commit says: %s', (_name, options, state, held) => {
    const before = createTestLane(options);
    before.fold(gate(state), ...whole('a'));
    const { progress } = before.cut();
    const after = createTestLane({ ...options, progress });
    after.fold(...whole('b'));
    expect(went(after).map(([rollout, , isHeld]) => [rollout, isHeld])).toEqual([['b', held]]);
  });

  it('knows from the commit which changes come late', () => {
    const before = createTestLane();
    before.fold(numbered(1_000_000, 'open'), ...whole('a'));
    const after = createTestLane({ progress: before.cut().progress });
    after.fold(numbered(999_999, 'hold'), ...whole('b'));
    expect(went(after).map(([rollout, , held]) => [rollout, held])).toEqual([['b', false]]);
  });

  it('does not let an event below the frontier act a second time', () => {
    const before = createTestLane();
    const open = whole('open');
    before.fold(...open.slice(0, 3), gate('hold'), ...whole('a'), gate('open'));
    const { progress } = before.cut();
    const after = createTestLane({ progress });
    after.fold(...open.slice(0, 3), gate('hold'), ...whole('a'), gate('open'));
    after.fold(open[3] ?? gate('open'), ...whole('b'));
    expect(went(after).map(([rollout, , held]) => [rollout, held])).toEqual([
      ['open', false],
      ['b', false],
    ]);
  });
});
