import { describe, expect, it } from 'vitest';
import { textOfBytes } from '../../../processors/model/text-bytes.ts';
import type { StepEventInit, ToolCallInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

const of = attemptOf();
const asks = (...ids: readonly string[]): { tool_calls: ToolCallInit[] } => ({
  tool_calls: ids.map((call_id) => ({ call_id })),
});

function trajectoryOf(...events: readonly StepEventInit[]) {
  const lane = createTestLane();
  lane.fold(of.start(), ...events, of.end(events.length + 1), of.verdict(1));
  return lane.effects().rows.trajectories[0]?.trajectory;
}

describe('tool calls and results', () => {
  it('pair by (turn, call id): ids repeat between turns', () => {
    const trajectory = trajectoryOf(
      of.call(1, { prompt: [1], sampled: [2], ...asks('call_0') }),
      of.tool(2, { call_id: 'call_0' }),
      of.call(3, { prompt_prefix_len: 2, prompt: [3], sampled: [4], ...asks('call_0', 'call_1') }),
      of.tool(4, { call_id: 'call_1', turn: 1 }),
    );
    expect(trajectory).toMatchObject({ tool_calls_unanswered: 1, tool_results_unasked: 0 });
  });

  it('unanswered and unasked ones are counted; a result that comes twice is asked once (case 69)', () => {
    const trajectory = trajectoryOf(
      of.call(1, asks('a', 'b')),
      of.tool(2, { call_id: 'a' }),
      of.tool(3, { call_id: 'a' }),
      of.tool(4, { call_id: 'nobody asked' }),
    );
    expect(trajectory).toMatchObject({ tool_calls_unanswered: 1, tool_results_unasked: 2 });
  });

  it('two calls of one turn under one id take two results', () => {
    const trajectory = trajectoryOf(of.call(1, asks('', '')), of.tool(2, { call_id: '' }), of.tool(3, { call_id: '' }));
    expect(trajectory).toMatchObject({ tool_calls_unanswered: 0, tool_results_unasked: 0 });
  });
});

describe('the wall clock', () => {
  it('adds durations of the producer’s monotonic clock, never the difference of two hosts (case 125)', () => {
    const skewed = { started_at: 1000, ended_at: 950 };
    const trajectory = trajectoryOf(
      of.call(1, {}, { ...skewed, duration_us: 5_000 }),
      of.tool(2, { call_id: 'x' }, skewed),
      of.tool(3, { call_id: 'y', wait_us: 1_000, exec_us: 500 }),
      of.phase('set-up', { phase: 'sandbox_setup' }, { seq: 4, duration_us: -50 }),
    );
    expect(trajectory?.wall_ms).toEqual({ model: 5, tool_wait: 1.5 });
  });

  it('counts 88 s of a blocked loop as what its producer calls it, not as the model’s (case 126)', () => {
    const trajectory = trajectoryOf(
      of.call(1, {}, { duration_us: 2_000_000 }),
      of.phase('lag', { phase: 'cpu' }, { seq: 2, duration_us: 88_000_000 }),
    );
    expect(trajectory?.wall_ms).toEqual({ model: 2_000, cpu: 88_000 });
  });
});

describe('text', () => {
  it('with lone surrogates, or with a NUL, is kept as it was (cases 114, 115)', () => {
    const lane = createTestLane();
    // A JSON text may hold half a character: "ab😀" cut after three UTF-16 units.
    const cut = 'ab😀'.slice(0, 3);
    lane.fold(
      attemptOf({ rollout_id: cut }).start({}, { task_metadata_json: 'ok \ud83c', prompt: Buffer.from('a\u0000b') }),
      attemptOf({ rollout_id: cut }).call(1, {}, { extra_json: 'a\u0000b' }),
    );
    const [start, call] = lane.effects().rows.steps;
    expect(start?.event.rollout_id).toBe(cut);
    expect(start?.event.start?.task_metadata_json).toBe('ok \ud83c');
    expect(textOfBytes(start?.event.start?.prompt ?? Buffer.alloc(0))).toBe('a\u0000b');
    expect(call?.event.extra_json).toBe('a\u0000b');
    // Percent-encoded, as the three bytes of the surrogate.
    expect(call?.unit).toBe('run/0/r/ab%ED%A0%BD');
  });
});
