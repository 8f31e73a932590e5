import { describe, expect, it } from 'vitest';
import type { EndInit, VerdictInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, type CallTokens } from '../events.ts';
import { createTestLane } from '../harness.ts';

const of = attemptOf();

/** The decision about an attempt of one call, which ended like this and was judged like that. */
function decisionOf(
  end: EndInit,
  verdict: Partial<VerdictInit> & { reward?: number | null } = {},
  call: CallTokens = {},
) {
  const lane = createTestLane();
  const { reward = 1, ...rest } = verdict;
  lane.fold(of.start(), of.call(1, call), of.ending(2, end), of.verdict(reward, rest));
  const [decision] = lane.effects().rows.decisions;
  if (decision === undefined) throw new Error('not decided');
  return {
    ...decision,
    topic: lane.effects().records[0]?.topic,
    trajectory: lane.effects().rows.trajectories[0]?.trajectory,
  };
}
const ended = (raw: string, system = 'strands-env'): EndInit => ({ reasons: [{ raw, system }] });

describe('why a loop ended', () => {
  it('has one disposition by code, whatever the verifier says', () => {
    const expected = {
      task_complete: ['task_complete', 'completion', 'train', 1],
      max_tokens_reached: ['output_tokens', 'budget', 'train', 1],
      context_window_overflow: ['context_overflow', 'budget', 'train', 1],
      max_tool_calls_reached: ['max_tool_calls', 'budget', 'train', 1],
      max_tool_iterations_reached: ['max_tool_calls', 'budget', 'train', 1],
      max_messages_reached: ['max_turns', 'budget', 'train', 1],
      timeout: ['wall_clock', 'budget', 'train_masked', 1],
      connection_error: ['llm_error', 'infra_fault', 'retry', null],
      throttled: ['rate_limited', 'infra_fault', 'retry', null],
      recursion_depth_exceeded: ['recursion_depth', 'harness_fault', 'retry', null],
      auth_error: ['auth_quota', 'infra_fault', 'drop', null],
      not_terminated: ['unknown', 'unknown', 'quarantine', null],
      unclassified_error: ['unknown', 'unknown', 'quarantine', null],
    };
    const found = Object.keys(expected).map((raw) => {
      const { reason_code, category, disposition, reward } = decisionOf(ended(raw));
      return [raw, [reason_code, category, disposition, reward]];
    });
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('by length is not by context overflow (cases 73, 75)', () => {
    expect(decisionOf(ended('max_tokens_reached'), {}, { finish_reason: 'length' })).toMatchObject({
      reason_code: 'output_tokens',
      finish_reason: 'length',
      disposition: 'train',
    });
    expect(decisionOf(ended('context_window_overflow'))).toMatchObject({
      reason_code: 'context_overflow',
      finish_reason: 'stop',
    });
  });

  it('by length stays so when the engine calls the cut turn tool_calls: both facts are kept (case 71)', () => {
    expect(decisionOf(ended('max_tokens_reached'), {}, { finish_reason: 'tool_calls' })).toMatchObject({
      reason_code: 'output_tokens',
      finish_reason: 'tool_calls',
    });
  });

  it('that no taxonomy maps is unknown, never the nearest, and quarantined', () => {
    for (const raw of ['task_completed', 'TASK_COMPLETE', ''])
      expect(decisionOf(ended(raw))).toMatchObject({
        reason_code: 'unknown',
        reason_raw: raw,
        disposition: 'quarantine',
      });
    expect(decisionOf(ended('task_complete', 'another loop'))).toMatchObject({ disposition: 'quarantine' });
    expect(decisionOf({ reasons: [] })).toMatchObject({ reason_code: 'unknown', reason_raw: null });
  });

  it('of several reasons: a known fault outranks unknown, unknown outranks what would train', () => {
    const reasons = (...raws: readonly string[]) => ({ reasons: raws.map((raw) => ({ raw, system: 'strands-env' })) });
    expect(decisionOf(reasons('unclassified_error', 'aborted'))).toMatchObject({ reason_code: 'harness_error' });
    expect(decisionOf(reasons('task_complete', 'unclassified_error'))).toMatchObject({ disposition: 'quarantine' });
    const { trajectory } = decisionOf(reasons('task_complete', 'aborted'));
    expect(trajectory?.reasons.map(({ code }) => code)).toEqual(['task_complete', 'harness_error']);
  });

  it('complete, with a last call that was aborted or cut, is a conflict with both sides (case 81)', () => {
    for (const [finish_reason, side] of [
      ['abort', 'aborted'],
      ['{"type":"abort","message":"weights were updated"}', 'aborted'],
      ['length', 'cut'],
      ['{"type":"length","length":8192}', 'cut'],
    ] as const) {
      const decision = decisionOf(ended('task_complete'), {}, { finish_reason });
      expect(decision).toMatchObject({
        ...{ reason_code: 'termination_conflict', category: 'unknown', finish_reason, disposition: 'quarantine' },
        ...{ reward: null, in_loss: false, topic: 'rejected' },
        why: ['termination_conflict', `the loop says task_complete, the engine ${side} its last call`],
      });
    }
  });

  it('complete, with a word of the engine that nobody knows, is no conflict', () => {
    expect(decisionOf(ended('task_complete'), {}, { finish_reason: 'eos_token' })).toMatchObject({
      disposition: 'train',
    });
    expect(decisionOf(ended('task_complete'), {}, { finish_reason: null })).toMatchObject({ disposition: 'train' });
  });

  it('a rate limit is no failure of the policy: retried, never rewarded (case 79)', () => {
    expect(decisionOf(ended('ApiRateLimitError', 'harbor'), { reward: 0 })).toMatchObject({
      ...{ reason_code: 'rate_limited', disposition: 'retry', reward: null, reward_valid: false },
      why: ['retry:rate_limited'],
    });
  });
});

describe('what a verifier said', () => {
  it('is a reward, and 0 is one (case 77)', () => {
    expect(decisionOf(ended('task_complete'), { reward: 0 })).toMatchObject({
      ...{ reward: 0, reward_valid: true, disposition: 'train', in_baseline: true, verifier_status: 'scored' },
    });
  });

  it('or did not say, is null and quarantined for scoring again; the category stays the loop’s (cases 77, 93)', () => {
    // A crashed verifier that left a 0 behind has not said 0.
    for (const [status, fault] of [
      ['crash', 'verifier_error'],
      ['parse_error', 'verifier_error'],
      ['refused', 'verifier_error'],
      ['timeout', 'verifier_timeout'],
      ['missing', 'reward_missing'],
    ] as const)
      expect(decisionOf(ended('task_complete'), { status, reward: 0 })).toMatchObject({
        ...{ reward: null, reward_valid: false, disposition: 'quarantine', category: 'completion', topic: 'rejected' },
        ...{ verifier_status: status, why: [fault, 'task_complete'], in_baseline: false, counts_for_size: false },
      });
  });

  it('scored, but null, NaN, infinite or nothing at all, is reward_missing; NaN never leaves (case 98)', () => {
    for (const reward of [null, Number.NaN, Number.POSITIVE_INFINITY]) {
      const decision = decisionOf(ended('task_complete'), { rewards: { format: 1, answer: reward } });
      const what = reward === null ? 'answer: missing' : 'answer: not finite';
      expect(decision).toMatchObject({ reward: null, why: ['reward_missing', 'task_complete', what] });
      expect(decision.trajectory?.reward_components).toEqual({ format: 1, answer: null });
      expect(decision.trajectory?.verdicts?.[0]?.rewards).toEqual({ format: 1, answer: null });
    }
    expect(decisionOf(ended('task_complete'), { rewards: {} })).toMatchObject({ reward: null, reward_valid: false });
  });

  it('of finite parts whose sum is not is reward_missing', () => {
    const decision = decisionOf(ended('task_complete'), { rewards: { a: 1e308, b: 1e308 } });
    expect(decision).toMatchObject({ reward: null, reward_valid: false });
  });

  it('not run, by design: a budget scores 0 and trains, a completion needs a score', () => {
    expect(decisionOf(ended('max_tokens_reached'), { status: 'not_run', rewards: {} })).toMatchObject({
      ...{ reward: 0, reward_valid: true, disposition: 'train' },
    });
    expect(decisionOf(ended('task_complete'), { status: 'not_run', rewards: {} })).toMatchObject({
      ...{ reward: null, disposition: 'quarantine', why: ['reward_missing', 'task_complete'] },
    });
  });

  it('of two scorers that use one name is summed, each under its own', () => {
    const lane = createTestLane();
    const named = (scorer: string, value: number) => of.verdict(null, { scorer, rewards: { score: value } });
    lane.fold(of.start(), of.call(1), named('a', 0.5), named('b', 0.25), of.end(2));
    const [row] = lane.effects().rows.trajectories;
    expect(row?.trajectory).toMatchObject({ reward: 0.75, reward_components: { score: 0.5, 'b/score': 0.25 } });
  });

  it('under a name that is no plain key is kept', () => {
    const rewards = Object.fromEntries([['__proto__', 2]]);
    const { trajectory, reward } = decisionOf(ended('task_complete'), { rewards });
    expect(reward).toBe(2);
    expect(Object.entries(trajectory?.reward_components ?? {})).toEqual([['__proto__', 2]]);
  });

  it('about one turn is that turn’s reward, and does not answer for the attempt', () => {
    const lane = createTestLane();
    lane.fold(of.start(), of.call(1), of.end(2), of.verdict(0.5, { bound_to: 0 }));
    expect(lane.effects().rows.decisions).toEqual([]);
    lane.fold(of.verdict(1));
    const [row] = lane.effects().rows.trajectories;
    expect(row?.trajectory.turns.map(({ reward }) => reward)).toEqual([0.5]);
    expect(row?.trajectory.reward).toBe(1);
  });
});
