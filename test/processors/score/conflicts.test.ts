import { describe, expect, it } from 'vitest';
import type { EndInit, StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, type CallTokens } from '../events.ts';
import { contentOf, createTestLane, recordOf } from '../harness.ts';

const of = attemptOf();
const COMPLETE: EndInit = { reasons: [{ raw: 'task_complete', system: 'strands-env' }] };

function decisionOf(...events: readonly StepEventInit[]) {
  const lane = createTestLane();
  lane.fold(...events);
  const [decision] = lane.effects().rows.decisions;
  if (decision === undefined) throw new Error('not decided');
  return decision;
}

/** Start, a call, an end, a verdict. */
const ended = (call: CallTokens, end: EndInit = COMPLETE) =>
  decisionOf(of.start(), of.call(1, call), of.ending(2, end), of.verdict(1));

describe('about why the loop ended, both sides are named and nothing trains', () => {
  it.each([
    ['abort', 'the loop says task_complete, the engine aborted its last call'],
    ['length', 'the loop says task_complete, the engine cut its last call'],
    ['SAFETY', 'the loop says task_complete, the engine cut its last call'],
    [
      '{"type":"abort","message":"Abort in update_weights"}',
      'the loop says task_complete, the engine aborted its last call',
    ],
  ])('complete, and the engine says %s of the last call (case 81)', (finish_reason, conflict) => {
    const decision = ended({ finish_reason });
    expect(decision).toMatchObject({ reason_code: 'termination_conflict', disposition: 'quarantine', in_loss: false });
    expect(decision.conflicts).toEqual([conflict]);
  });

  it('complete, and the last call says tool_calls though it used all its tokens (case 71)', () => {
    const full = { sampled: [1, 2, 3, 4], sampling: { max_tokens: 4 }, finish_reason: 'tool_calls' };
    expect(ended(full)).toMatchObject({
      reason_code: 'termination_conflict',
      conflicts: ['the loop says task_complete, its last call says tool_calls, and used all the tokens it had'],
    });
    // One token fewer, or an engine that found the end of the turn in the last one: nothing was cut.
    expect(ended({ ...full, sampled: [1, 2, 3] }).conflicts).toEqual([]);
    expect(ended({ ...full, finish_reason: 'stop' }).conflicts).toEqual([]);
  });

  it('only the last call counts: an earlier one that used all its tokens was followed by another', () => {
    const full = { sampled: [1, 2], sampling: { max_tokens: 2 }, finish_reason: 'tool_calls' };
    const next = of.call(2, { prompt_prefix_len: 4, prompt: [5], sampled: [6], finish_reason: 'tool_calls' });
    const decision = decisionOf(of.start(), of.call(1, full), next, of.ending(3, COMPLETE), of.verdict(1));
    expect(decision).toMatchObject({ reason_code: 'task_complete', conflicts: [] });
  });

  it('complete, and an exception ended it', () => {
    const thrown = ended({}, { ...COMPLETE, exception: { type: 'ValueError', message: 'no such tool' } });
    expect(thrown).toMatchObject({
      ...{ reason_code: 'termination_conflict', disposition: 'quarantine', reward: null },
      conflicts: ['the loop says task_complete, and ValueError ended it'],
    });
  });

  it('complete, and the verifier threw: no contradiction, the verifier comes after the end', () => {
    const end = {
      reasons: [{ raw: 'completed', system: 'harbor' }],
      exception: { type: 'VerifierTimeoutError', message: 'after 600 s' },
    };
    expect(ended({}, end)).toMatchObject({ reason_code: 'task_complete', conflicts: [] });
  });

  it('not complete, and cut or aborted: the two say one thing', () => {
    const cut = { reasons: [{ raw: 'max_tokens_reached', system: 'strands-env' }] };
    expect(ended({ finish_reason: 'length' }, cut)).toMatchObject({ reason_code: 'output_tokens', conflicts: [] });
  });
});

describe('a call that was aborted for new weights', () => {
  it('and went on in the same segment is no contradiction: the partial sample and its continuation are one turn of talk (case 81)', () => {
    const lane = createTestLane();
    lane.fold(
      of.start(),
      of.call(1, { prompt: [1], sampled: [2, 3], finish_reason: 'abort' }),
      of.call(2, { prompt_prefix_len: 3, prompt: [], sampled: [4], finish_reason: 'stop' }),
      of.ending(3, COMPLETE),
      of.verdict(1),
    );
    const { rows } = lane.effects();
    expect(rows.decisions[0]).toMatchObject({ reason_code: 'task_complete', conflicts: [], n_sampled_tokens: 3 });
    expect(rows.trajectories[0]?.trajectory.segments).toHaveLength(1);
  });

  it('and never went on is the engine’s: run again, whatever a verifier made of the partial answer (case 81)', () => {
    const aborted = { reasons: [{ raw: 'aborted', system: 'slime' }] };
    expect(ended({ finish_reason: 'abort', sampled: [] }, aborted)).toMatchObject({
      ...{ reason_code: 'inference_abort', disposition: 'retry', reward: null, conflicts: [] },
    });
  });
});

describe('a reward file that the verifier never wrote', () => {
  it('is no 0: the loop’s reason stays, and it is scored again (case 77)', () => {
    const end = {
      reasons: [{ raw: 'completed', system: 'harbor' }],
      exception: { type: 'harbor.verifier.errors.RewardFileNotFoundError', message: 'exit 137' },
    };
    const decision = decisionOf(
      ...[of.start(), of.call(1), of.ending(2, end)],
      of.verdict(null, { status: 'missing', rewards: { reward: null } }),
    );
    expect(decision).toMatchObject({
      ...{ reason_code: 'task_complete', category: 'completion', disposition: 'quarantine', conflicts: [] },
      ...{ reward: null, reward_valid: false, why: ['reward_missing', 'task_complete'] },
    });
  });
});

describe('beside why the loop ended, both sides are named and the reason stands', () => {
  it('complete, and a tool call has no result', () => {
    const decision = ended({ tool_calls: [{ call_id: 'a' }] });
    expect(decision).toMatchObject({
      ...{ reason_code: 'task_complete', disposition: 'train' },
      conflicts: ['the loop says task_complete, 1 of its tool calls has no result'],
    });
  });

  it('complete, and the wall clock was over its limit', () => {
    const limited = (ended_at: number) =>
      decisionOf(
        of.start({ started_at: 1_000_000 }, { limits: { max_wall_us: 60_000_000 } }),
        of.call(1),
        of.ending(2, COMPLETE, { ended_at }),
        of.verdict(1),
      );
    expect(limited(61_000_000)).toMatchObject({
      ...{ reason_code: 'task_complete', disposition: 'train' },
      conflicts: ['the loop says task_complete, and took 60 s of 60 s'],
    });
    expect(limited(60_999_999).conflicts).toEqual([]);
  });

  it('a reward of a verifier that says it failed (case 77)', () => {
    const decision = decisionOf(
      ...[of.start(), of.call(1), of.ending(2, COMPLETE)],
      of.verdict(0, { status: 'crash', rewards: { answer: 0, format: null } }),
    );
    expect(decision).toMatchObject({
      ...{ reward: null, disposition: 'quarantine' },
      conflicts: ['scorer says crash, and gives answer 0'],
    });
  });

  it('an end, and steps after it: the first end stands, whatever the other says (case 113)', () => {
    const [start, call, end] = [of.start(), of.call(1), of.ending(2, COMPLETE)];
    const said = ['its end says task_complete, and steps came after it'];
    // A step beyond it; another end in its place; a step beyond it that was there first.
    for (const later of [of.call(3), of.end(2, 'timeout', 'strands-env', { event_id: 'another end' })])
      expect(decisionOf(start, call, end, later, of.verdict(1))).toMatchObject({
        ...{ reason_code: 'task_complete', disposition: 'train', n_turns: 1 },
        conflicts: said,
      });
    expect(decisionOf(start, call, of.call(3), end, of.verdict(1))).toMatchObject({ n_turns: 1, conflicts: said });
    // The same end once more is a repeat.
    expect(decisionOf(start, call, end, end, of.verdict(1)).conflicts).toEqual([]);
  });
});

describe('a restart', () => {
  it('sees the same contradictions: steps after the end are folded again, and judged as of the record that closes', () => {
    const log = [of.start(), of.call(1), of.ending(2, COMPLETE), of.call(3), of.call(4), of.verdict(1)];
    const records = log.map((event, offset) => recordOf(event, offset));
    const whole = createTestLane();
    whole.foldRecords(records);
    const said = contentOf(whole.effects()).filter((line) => line.startsWith('decisions'));
    expect(said).toHaveLength(1);
    for (let crash = 1; crash < log.length; crash += 1) {
      const first = createTestLane();
      first.foldRecords(records.slice(0, crash));
      const { progress } = first.cut();
      const second = createTestLane({ progress });
      second.foldRecords(records.slice(progress.watermark));
      expect(contentOf(second.effects()).filter((line) => line.startsWith('decisions'))).toEqual(said);
    }
  });
});

describe('what happened after the end', () => {
  it('decides nothing: an overflow of a finished rollout leaves it complete, with its reward (case 74)', () => {
    const overflow = { raw: 'context_window_overflow', system: 'strands-env', after_end: true };
    const decision = ended({}, { reasons: [...COMPLETE.reasons, overflow] });
    expect(decision).toMatchObject({ reason_code: 'task_complete', reward: 1, disposition: 'train', conflicts: [] });
  });

  it('decides nothing: a clean-up that was killed after an hour is in the breakdown alone (case 82)', () => {
    const lane = createTestLane();
    lane.fold(
      of.start({ started_at: 1_000_000 }),
      of.call(1),
      of.ending(2, COMPLETE, { ended_at: 101_000_000 }),
      of.phase('clean-up', { phase: 'cleanup', error: { message: 'killed' } }, { duration_us: 3_500_000_000 }),
      of.verdict(1),
    );
    const [row] = lane.effects().rows.trajectories;
    expect(row?.trajectory).toMatchObject({ category: 'completion', disposition: 'train', reward: 1 });
    expect(row?.trajectory.wall_ms).toEqual({ cleanup: 3_500_000 });
  });

  it('and nothing before it, is no reason to have ended', () => {
    const only = { reasons: [{ raw: 'task_complete', system: 'strands-env', after_end: true }] };
    expect(ended({}, only)).toMatchObject({ reason_code: 'unknown', disposition: 'quarantine' });
  });
});
