import { describe, expect, it } from 'vitest';
import { weightsEvent } from '../../../processors/control/control-event.ts';
import type { TrajectoryInit } from '../../../schemas/generated/trajectory.ts';
import { attemptOf, type CallTokens, numbersOf } from '../events.ts';
import { createTestLane, documentsOf, policyText, type TestLane } from '../harness.ts';

/** A lane whose policy has these staleness rules. */
function laneWith(rules: string): TestLane {
  return createTestLane({ documents: documentsOf(`${policyText()}\nstaleness: ${rules}\n`) });
}
let source = 0;
const announce = (version: string, ordinal: number, lineage = '') =>
  weightsEvent('run', { lineage, version, ordinal }, `0|${source++}`);
const announceAll = (...names: readonly string[]) => names.map((name, i) => announce(name, i));
/** A call that these versions sampled, by how many tokens of each. */
function sampled(spans: ReadonlyArray<readonly [version: string | null, tokens: number]>): CallTokens {
  const weight_spans: Array<{ start: number; version: string }> = [];
  let start = 0;
  for (const [version, tokens] of spans) {
    if (version !== null) weight_spans.push({ start, version });
    start += tokens;
  }
  return { prompt: [1], sampled: Array.from({ length: start }, (_, i) => i + 2), weight_spans };
}
const by = (...versions: string[]) => sampled(versions.map((version) => [version, 1] as const));
function rollout(rollout_id: string, call: CallTokens, group: { group_id?: string; group_size?: number } = {}) {
  const of = attemptOf({ rollout_id, ...group });
  return [of.start(), of.call(1, call), of.end(2), of.verdict(1)];
}
const decided = (lane: TestLane) =>
  lane
    .effects()
    .rows.decisions.map((row) => [row.rollout_id, row.disposition, row.why, row.lag, row.in_loss, row.in_baseline]);
const trajectoriesOf = (lane: TestLane): TrajectoryInit[] =>
  lane.effects().rows.trajectories.map(({ trajectory }) => trajectory);
const lossOf = ({ segments }: TrajectoryInit) => segments.map(({ loss_mask }) => numbersOf(loss_mask, 'mask'));

describe('lag', () => {
  it('is the version being updated minus the oldest that sampled, in the order of announcement (case 105)', () => {
    const lane = laneWith('{ max_lag: null }');
    lane.fold(...announceAll('blue', 'amber', 'cyan', 'azure'));
    lane.fold(
      ...rollout(
        'mixed',
        sampled([
          ['cyan', 120],
          ['amber', 40],
        ]),
      ),
    );
    expect(lane.effects().rows.decisions[0]).toMatchObject({
      lag: 2,
      weights_version_min: 'amber',
      weights_version_max: 'cyan',
    });
    expect(trajectoriesOf(lane)[0]).toMatchObject({
      lag: 2,
      weights_version_min: 'amber',
      weights_version_max: 'cyan',
    });
  });

  it('counts announcements, not numbers in names: 7 and 8 with an announcement between them (case 105)', () => {
    const lane = laneWith('{ max_lag: 1, over: drop }');
    lane.fold(announce('7', 0), announce('7.5', 1), announce('8', 2));
    lane.fold(
      ...rollout(
        'r',
        sampled([
          ['7', 120],
          ['8', 40],
        ]),
      ),
    );
    expect(lane.effects().rows.decisions[0]).toMatchObject({ lag: 2, disposition: 'drop', weights_version_min: '7' });
  });

  it('a version that is announced mid-flight does not rename what sampled before (case 106)', () => {
    const lane = laneWith('{ max_lag: 1, over: drop }');
    const of = attemptOf();
    lane.fold(announce('v3', 0), of.start(), of.call(1, by('v3')), announce('v4', 1));
    lane.fold(of.call(2, { ...by('v4'), prompt_prefix_len: 2 }), of.end(3), of.verdict(1));
    const [trajectory] = trajectoriesOf(lane);
    expect(trajectory).toMatchObject({ lag: 1, weights_version_min: 'v3', weights_version_max: 'v4' });
    expect(trajectory?.segments[0]?.weight_spans).toEqual([
      { start: 1, version: 'v3' },
      { start: 3, version: 'v4' },
    ]);
  });

  it('is of the closing record: what is announced between the end and the verdict counts, what comes after does not', () => {
    const lane = laneWith('{ max_lag: 1, over: drop }');
    lane.fold(...announceAll('v0', 'v1'));
    const [start, call, end, verdict] = rollout('r', by('v0'));
    const [late, again, over, score] = rollout('s', by('v0'));
    if (!start || !call || !end || !verdict || !late || !again || !over || !score) throw new Error('four events');
    lane.fold(start, call, end, late, again, over, verdict, announce('v2', 2), score);
    expect(decided(lane)).toEqual([
      ['r', 'train', ['task_complete'], 1, true, true],
      ['s', 'drop', ['stale', 'task_complete'], 2, false, true],
    ]);
  });

  it('of another run is another order', () => {
    const lane = laneWith('{ max_lag: 0, over: drop, unknown: keep }');
    lane.fold(...announceAll('v0', 'v1'), ...rollout('r', by('v1')));
    const of = attemptOf({ run_id: 'other', rollout_id: 'o' });
    lane.fold(of.start(), of.call(1, by('v0')), of.end(2), of.verdict(1));
    expect(decided(lane).map(([id, disposition, , lag]) => [id, disposition, lag])).toEqual([
      ['r', 'train', 0],
      ['o', 'train', null],
    ]);
  });

  it('survives a restart: the versions come from the commit', () => {
    const lane = laneWith('{ max_lag: 1, over: drop }');
    lane.fold(...announceAll('v0', 'v1', 'v2'));
    const { progress } = lane.cut();
    const restarted = createTestLane({
      documents: documentsOf(`${policyText()}\nstaleness: { max_lag: 1, over: drop }\n`),
      progress,
    });
    restarted.fold(...rollout('r', by('v0')));
    expect(decided(restarted)).toEqual([['r', 'drop', ['stale', 'task_complete'], 2, false, true]]);
  });
});

describe('unknown is never fresh', () => {
  const cases: ReadonlyArray<readonly [string, CallTokens]> = [
    ['a version that nobody announced', by('v9')],
    ['no version at all', sampled([[null, 3]])],
    ['an empty version', by('')],
    ['some tokens without a version', { ...sampled([['v1', 2]]), weight_spans: [{ start: 1, version: 'v1' }] }],
    ['a version nobody announced beside a known one', by('v1', 'v9')],
  ];
  it.each(cases)('%s: its lag is null, and the policy says what becomes of it', (_, call) => {
    for (const [unknown, disposition, why] of [
      ['keep', 'train', ['task_complete']],
      ['drop', 'drop', ['weights_unknown', 'task_complete']],
      ['mask_rollout', 'train_masked', ['weights_unknown', 'task_complete']],
    ] as const) {
      const lane = laneWith(`{ max_lag: 5, unknown: ${unknown} }`);
      lane.fold(...announceAll('v0', 'v1'), ...rollout('r', call));
      expect(decided(lane)).toEqual([['r', disposition, why, null, unknown === 'keep', true]]);
    }
  });

  it('a run that never announced: nothing of it is known', () => {
    const lane = laneWith('{ max_lag: 0, unknown: drop }');
    lane.fold(...rollout('r', by('7')));
    expect(decided(lane)).toEqual([['r', 'drop', ['weights_unknown', 'task_complete'], null, false, true]]);
  });

  it('weights of a lineage that was left are no more', () => {
    const lane = laneWith('{ max_lag: 5, unknown: drop }');
    lane.fold(...announceAll('v0', 'v1', 'v2'), announce('w1', 1, 'second'));
    lane.fold(...rollout('gone', by('v2')), ...rollout('kept', by('v0')), ...rollout('new', by('w1')));
    expect(decided(lane).map(([id, disposition, , lag]) => [id, disposition, lag])).toEqual([
      ['gone', 'drop', null],
      ['kept', 'train', 1],
      ['new', 'train', 0],
    ]);
  });

  it('what is over the limit is, whatever else is unknown', () => {
    const lane = laneWith('{ max_lag: 1, over: drop, unknown: keep }');
    lane.fold(...announceAll('v0', 'v1', 'v2'), ...rollout('r', by('v0', 'v9')));
    expect(decided(lane)).toEqual([['r', 'drop', ['stale', 'task_complete'], null, false, true]]);
  });
});

describe('over the limit', () => {
  it('mask_rollout keeps it out of the loss, on ready', () => {
    const lane = laneWith('{ max_lag: 0, over: mask_rollout }');
    lane.fold(...announceAll('v0', 'v1'), ...rollout('r', by('v0', 'v1')));
    expect(decided(lane)).toEqual([['r', 'train_masked', ['stale', 'task_complete'], 1, false, true]]);
    expect(lossOf(trajectoriesOf(lane)[0] ?? missing())).toEqual([[0, 0, 0]]);
    expect(lane.effects().records.map(({ topic }) => topic)).toEqual(['ready']);
  });

  it('mask_tokens takes only the old tokens out, in whatever call or segment they are', () => {
    const lane = laneWith('{ max_lag: 1, over: mask_tokens }');
    const of = attemptOf();
    lane.fold(...announceAll('v0', 'v1', 'v2'), of.start());
    // Prompt 1; v0 v0 v1; then prompt 1; v2 v0.
    lane.fold(
      of.call(
        1,
        sampled([
          ['v0', 2],
          ['v1', 1],
        ]),
      ),
    );
    lane.fold(
      of.call(2, {
        ...sampled([
          ['v2', 1],
          ['v0', 1],
        ]),
        prompt_prefix_len: 4,
      }),
    );
    // The history is rewritten after four tokens: what is copied is out of the loss already.
    lane.fold(of.call(3, { ...sampled([['v1', 2]]), prompt_prefix_len: 4 }), of.end(4), of.verdict(1));
    const trajectory = trajectoriesOf(lane)[0] ?? missing();
    expect(lossOf(trajectory)).toEqual([
      [0, 0, 0, 1, 0, 1, 0],
      [0, 0, 0, 0, 0, 1, 1],
    ]);
    expect(numbersOf(trajectory.segments[0]?.sampled_mask, 'mask')).toEqual([0, 1, 1, 1, 0, 1, 1]);
    expect([trajectory.segment_loss_tokens, trajectory.rollout_loss_tokens]).toEqual([[2, 2], 4]);
    expect(decided(lane)).toEqual([['r', 'train', ['task_complete', 'stale_tokens'], 2, true, true]]);
  });

  it('mask_tokens of nothing but old tokens is a masked rollout', () => {
    const lane = laneWith('{ max_lag: 0, over: mask_tokens }');
    lane.fold(...announceAll('v0', 'v1'), ...rollout('r', by('v0')));
    expect(decided(lane)).toEqual([['r', 'train_masked', ['stale', 'task_complete'], 1, false, true]]);
  });

  it('says so as the reason that accounting counts, and names the rule', () => {
    const lane = laneWith('{ max_lag: 0, over: drop }');
    lane.fold(...announceAll('v0', 'v1'), ...rollout('r', by('v0')));
    expect(lane.effects().rows.decisions[0]).toMatchObject({ rule: 'staleness.over', reward: 1, reward_valid: true });
    expect(lane.effects().records.map(({ topic }) => topic)).toEqual(['rejected']);
  });

  it('does not touch what is not kept anyway, nor what has no tokens', () => {
    const lane = laneWith('{ max_lag: 0, over: drop, unknown: drop }');
    const fault = attemptOf({ rollout_id: 'fault' });
    const empty = attemptOf({ rollout_id: 'empty' });
    lane.fold(...announceAll('v0', 'v1'));
    lane.fold(fault.start(), fault.call(1, by('v0')), fault.end(2, 'connection_error'));
    lane.fold(empty.start(), empty.end(1), empty.verdict(1));
    expect(decided(lane).map(([id, disposition, why]) => [id, disposition, why])).toEqual([
      ['fault', 'retry', [expect.stringMatching(/^retry:/)]],
      ['empty', 'drop', ['no_tokens', 'task_complete']],
    ]);
  });
});

describe('a group with a stale member', () => {
  const group = { group_id: 'g', group_size: 3 };
  const members = (oldest: string) => [
    ...rollout('a', by(oldest), group),
    ...rollout('b', by('v2'), group).map((event) =>
      event.verdict ? { ...event, verdict: { ...event.verdict, rewards: { reward: 0 } } } : event,
    ),
    ...rollout('c', by('v2'), group).map((event) =>
      event.verdict ? { ...event, verdict: { ...event.verdict, rewards: { reward: 0 } } } : event,
    ),
  ];
  const advantages = (lane: TestLane) =>
    lane.effects().rows.decisions.map(({ rollout_id, advantage }) => [rollout_id, advantage]);

  it('leaves its siblings unmoved: it is in their baseline, whatever becomes of it', () => {
    const fresh = laneWith('{ max_lag: 1 }');
    fresh.fold(...announceAll('v0', 'v1', 'v2'), ...members('v2'));
    for (const over of ['drop', 'mask_rollout', 'mask_tokens']) {
      const lane = laneWith(`{ max_lag: 1, over: ${over} }`);
      lane.fold(...announceAll('v0', 'v1', 'v2'), ...members('v0'));
      expect(advantages(lane)).toEqual(advantages(fresh));
      expect(decided(lane).map((row) => row.at(-1))).toEqual([true, true, true]);
    }
  });

  it('is of as many members as reach ready, numbered from 0: a reader waits for no more', () => {
    const lane = laneWith('{ max_lag: 1, over: drop }');
    lane.fold(...announceAll('v0', 'v1', 'v2'), ...members('v0'));
    const sizes = trajectoriesOf(lane).map((t) => [t.rollout_id, t.disposition, t.group_index, t.group_size_actual]);
    expect(sizes).toEqual([
      ['a', 'drop', null, null],
      ['b', 'train', 0, 2],
      ['c', 'train', 1, 2],
    ]);
    expect(trajectoriesOf(lane)[1]?.group_stats?.n).toBe(3);
  });

  it('is judged when the group closes: what waited for its siblings has aged', () => {
    const lane = laneWith('{ max_lag: 1, over: drop }');
    lane.fold(...announceAll('v0', 'v1'), ...rollout('a', by('v0'), group), ...rollout('b', by('v1'), group));
    lane.fold(announce('v2', 2), ...rollout('c', by('v2'), group));
    expect(decided(lane).map(([id, disposition, , lag]) => [id, disposition, lag])).toEqual([
      ['a', 'drop', 2],
      ['b', 'train', 1],
      ['c', 'train', 0],
    ]);
  });
});

function missing(): never {
  throw new Error('no trajectory');
}
