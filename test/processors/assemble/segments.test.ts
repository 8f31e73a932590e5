import { describe, expect, it } from 'vitest';
import { hasUnsoundLogprob } from '../../../processors/assemble/segments.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, float32, numbersOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

const of = attemptOf();

/** The trajectory of an attempt with these events between start and end. */
function trajectoryOf(...events: readonly StepEventInit[]) {
  const lane = createTestLane();
  lane.fold(of.start(), ...events, of.end(events.length + 1), of.verdict(1));
  const [row] = lane.effects().rows.trajectories;
  if (row === undefined) throw new Error('not decided');
  const { trajectory } = row;
  const segments = trajectory.segments.map((segment) => ({
    id: segment.segment_id,
    parent: segment.parent_segment_id,
    forkAt: segment.fork_at,
    ids: numbersOf(segment.token_ids, 'uint32'),
    sampled: numbersOf(segment.sampled_mask, 'mask'),
    loss: numbersOf(segment.loss_mask, 'mask'),
    logprobs: numbersOf(segment.logprobs, 'float32'),
    promptLen: segment.prompt_len,
    spans: segment.weight_spans,
  }));
  return { trajectory, segments, lane, decision: lane.effects().rows.decisions[0] };
}

const span = (version: string, start = 0) => ({ start, version });

describe('segments', () => {
  it('grow by what is new; the sampled mask covers sampled tokens only; turns are ranges', () => {
    const { trajectory, segments } = trajectoryOf(
      of.call(1, { prompt: [1, 2, 3, 4], sampled: [5, 6], logprobs: [-0.25, -0.5], finish_reason: 'tool_calls' }),
      of.call(2, { prompt_prefix_len: 6, prompt: [7], sampled: [8], logprobs: [-2] }),
    );
    expect(segments).toEqual([
      {
        id: 'main',
        parent: null,
        forkAt: null,
        ids: [1, 2, 3, 4, 5, 6, 7, 8],
        sampled: [0, 0, 0, 0, 1, 1, 0, 1],
        loss: [0, 0, 0, 0, 1, 1, 0, 1],
        logprobs: [0, 0, 0, 0, -0.25, -0.5, 0, -2],
        promptLen: 4,
        spans: [span('7', 4)],
      },
    ]);
    expect(trajectory.turns.map(({ turn, start, end, finish_reason }) => [turn, start, end, finish_reason])).toEqual([
      [0, 4, 6, 'tool_calls'],
      [1, 7, 8, 'stop'],
    ]);
  });

  it('count sampled tokens by the sum, not the span: 000 1111 000 11111 is 9 (case 90)', () => {
    const { segments, decision } = trajectoryOf(
      of.call(1, { prompt: [1, 1, 1], sampled: [2, 2, 2, 2] }),
      of.call(2, { prompt_prefix_len: 7, prompt: [3, 3, 3], sampled: [4, 4, 4, 4, 4] }),
    );
    expect(segments[0]?.loss?.join('')).toBe('000111100011111');
    expect(decision).toMatchObject({ n_sampled_tokens: 9, n_tokens: 15 });
  });

  it('a rewritten history starts ID~n at the index where it broke; the shared prefix is in the loss once', () => {
    const { trajectory, segments, decision } = trajectoryOf(
      of.call(1, { prompt: [1, 2], sampled: [3, 4], logprobs: [-1, -2] }),
      of.call(2, { prompt_prefix_len: 3, prompt: [9], sampled: [10], logprobs: [-3] }),
    );
    expect(segments.map(({ id, parent, forkAt }) => [id, parent, forkAt])).toEqual([
      ['main', null, null],
      ['main~1', 'main', 3],
    ]);
    expect(segments[1]).toMatchObject({
      ids: [1, 2, 3, 9, 10],
      sampled: [0, 0, 1, 0, 1],
      loss: [0, 0, 0, 0, 1],
      logprobs: [0, 0, -1, 0, -3],
      spans: [span('7', 2)],
    });
    expect(segments[0]?.loss).toEqual([0, 0, 1, 1]);
    expect(trajectory).toMatchObject({ segment_loss_tokens: [2, 1], rollout_loss_tokens: 3 });
    expect(decision).toMatchObject({ n_tokens: 6, n_sampled_tokens: 3 });
  });

  it('of a sub-agent are their own; a derived name that a producer uses itself is passed over', () => {
    const { segments } = trajectoryOf(
      of.call(1, { prompt: [1], sampled: [2] }),
      of.call(2, { prompt: [5], sampled: [6] }, { segment_id: 'main~1' }),
      of.call(3, { prompt_prefix_len: 1, prompt: [], sampled: [3] }),
      of.call(4, { prompt_prefix_len: 2, prompt: [], sampled: [4] }),
    );
    expect(segments.map(({ id, parent, ids }) => [id, parent, ids])).toEqual([
      ['main', null, [1, 2]],
      ['main~1', null, [5, 6]],
      ['main~2', 'main', [1, 3, 4]],
    ]);
  });

  it('cost what is new: a hundred rewritten turns hold the bytes of their own tokens', () => {
    const lane = createTestLane();
    lane.fold(of.start(), of.call(1, { prompt: Array.from({ length: 1000 }, (_, i) => i), sampled: [1] }));
    for (let seq = 2; seq <= 100; seq++)
      lane.fold(of.call(seq, { prompt_prefix_len: 1000, prompt: [seq], sampled: [seq] }));
    const [unit] = lane.state.units.values();
    const [attempt] = unit?.attempts.values() ?? [];
    const blocks = new Set(attempt?.segments.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes.buffer)));
    const bytes = [...blocks].reduce((sum, block) => sum + block.byteLength, 0);
    // 1,001 ids and a logprob; then 99 turns of two ids and a logprob.
    expect(bytes).toBe(1002 * 4 + 99 * 12);
  });

  it('a prefix longer than what is held is a fault, never a guess', () => {
    const { decision, trajectory } = trajectoryOf(
      of.call(1, { prompt: [1], sampled: [2] }),
      of.call(2, { prompt_prefix_len: 3, prompt: [4], sampled: [5] }),
    );
    expect(decision).toMatchObject({ reason_code: 'corrupt_record', disposition: 'retry', reward: null });
    expect(trajectory.reasons.map(({ raw, system }) => [raw, system])).toEqual([
      ['task_complete', 'strands-env'],
      ['prefix_beyond_held', 'rollstream'],
    ]);
  });
});

describe('logprobs', () => {
  it('are null for a segment where a sampled token has none', () => {
    const { segments } = trajectoryOf(
      of.call(1, { prompt: [1], sampled: [2] }),
      of.call(2, { prompt_prefix_len: 2, prompt: [3], sampled: [4], logprobs: null }),
    );
    expect(segments[0]?.logprobs).toBeNull();
  });

  it('that are NaN or infinite make the record logprob_invalid, and it never reaches ready (cases 83, 87)', () => {
    for (const unsound of [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]) {
      const logprobs = Array.from({ length: 512 }, (_, i) => (i === 300 ? unsound : -0.1));
      const { lane, trajectory } = trajectoryOf(of.call(1, { sampled: logprobs.map((_, i) => i), logprobs }));
      expect(trajectory.reasons.at(-1)).toMatchObject({ raw: 'logprob_invalid', code: 'corrupt_record' });
      expect(lane.effects().records.map(({ topic }) => topic)).toEqual(['retries']);
    }
  });

  it('are sound at the edges of float32', () => {
    expect(hasUnsoundLogprob(float32([0, -0, -9999, -3.4028234663852886e38, -1.401298464324817e-45]))).toBe(false);
    expect(hasUnsoundLogprob(null)).toBe(false);
  });
});

describe('weights', () => {
  it('of two versions in one trajectory: 120 tokens of 7, 40 of 8 give 7 and 8 (cases 105, 106)', () => {
    const sampled = Array.from({ length: 160 }, (_, i) => i);
    const { trajectory, segments } = trajectoryOf(
      of.call(1, { prompt: [1, 2], sampled, weight_spans: [span('7'), span('8', 120)] }),
    );
    expect(segments[0]?.spans).toEqual([span('7', 2), span('8', 122)]);
    expect(trajectory).toMatchObject({ weights_version_min: '7', weights_version_max: '8' });
  });

  it('are ordered as numbers: 9 is older than 10', () => {
    const { trajectory } = trajectoryOf(of.call(1, { sampled: [1, 2], weight_spans: [span('10'), span('9', 1)] }));
    expect(trajectory).toMatchObject({ weights_version_min: '9', weights_version_max: '10' });
  });

  it('that are unknown for one sampled token are unknown for the range, and end the span before', () => {
    const { trajectory, segments } = trajectoryOf(
      of.call(1, { prompt: [1], sampled: [2] }),
      of.call(2, { prompt_prefix_len: 2, prompt: [3], sampled: [4], weight_spans: [] }),
    );
    expect(trajectory).toMatchObject({ weights_version_min: null, weights_version_max: null });
    expect(segments[0]?.spans).toEqual([span('7', 1), span('', 3)]);
  });

  it('with names that are no numbers have no order', () => {
    const { trajectory } = trajectoryOf(of.call(1, { sampled: [1, 2], weight_spans: [span('new'), span('old', 1)] }));
    expect(trajectory).toMatchObject({ weights_version_min: null, weights_version_max: null });
  });
});
