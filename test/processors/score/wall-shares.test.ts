import { describe, expect, it } from 'vitest';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

const of = attemptOf();
const SECOND = 1_000_000;

/** Shares of an attempt that took `seconds` from its start to its end. */
function sharesOf(seconds: number | null, ...events: readonly StepEventInit[]) {
  const lane = createTestLane();
  const begin = seconds === null ? null : 5 * SECOND;
  const end = begin === null || seconds === null ? null : begin + seconds * SECOND;
  lane.fold(of.start({ started_at: begin }), ...events);
  lane.fold(of.end(events.length + 1, 'timeout', 'strands-env', { ended_at: end }), of.verdict(0));
  const [decision] = lane.effects().rows.decisions;
  return [decision?.infra_share, decision?.policy_share];
}
const phase = (seq: number, name: 'rate_limit' | 'weight_sync' | 'sandbox_setup' | 'cpu', seconds: number) =>
  of.phase(name, { phase: name }, { seq, duration_us: seconds * SECOND });

describe('the wall clock', () => {
  it('is split into the policy’s tokens, and what the infrastructure took', () => {
    const call = of.call(1, { queue_us: 30 * SECOND, prefill_us: 2 * SECOND, decode_us: 18 * SECOND });
    const tool = of.tool(2, { call_id: 'a', status: 'ok', wait_us: 10 * SECOND, exec_us: 20 * SECOND });
    // Of 100 s: queue 30, tool's wait 10, rate limit 12 → 0.52; prefill 2 and decode 18 → 0.2; the tool's 20 are neither's.
    expect(sharesOf(100, call, tool, phase(3, 'rate_limit', 12), phase(4, 'cpu', 8))).toEqual([0.52, 0.2]);
  });

  it('counts what the engine did again, and the way to it, as the infrastructure’s', () => {
    const call = of.call(
      1,
      { queue_us: 1 * SECOND, prefill_us: 1 * SECOND, decode_us: 2 * SECOND, server_e2e_us: 8 * SECOND },
      { duration_us: 10 * SECOND },
    );
    // Queue 1, within the server and in no figure 4, on the way 2 → 7 of 10.
    expect(sharesOf(10, call)).toEqual([0.7, 0.3]);
  });

  it('counts a call that failed, a sandbox that broke and a weight sync as the infrastructure’s', () => {
    const failed = of.call(1, { prompt: null, sampled: null, error: { type: 'timeout' } }, { duration_us: 4 * SECOND });
    const broke = of.tool(2, { call_id: 'a', status: 'sandbox_error' }, { duration_us: 3 * SECOND });
    const policy = of.call(3, { prefill_us: 0, decode_us: 1 * SECOND });
    expect(sharesOf(10, failed, broke, policy, phase(4, 'weight_sync', 2))).toEqual([0.9, 0.1]);
  });

  it('is nobody’s where events explain less than nine tenths of it: unknown is not 0', () => {
    const call = of.call(1, { decode_us: 10 * SECOND, queue_us: 0 });
    expect(sharesOf(100, call)).toEqual([null, null]);
    expect(sharesOf(100, of.call(1, {}, { duration_us: 95 * SECOND }))).toEqual([null, null]);
    // The tool's time-out that nobody can attribute explains nothing either.
    const tool = of.tool(2, { call_id: 'a', status: 'timeout', exec_us: 90 * SECOND });
    expect(sharesOf(100, call, tool)).toEqual([null, null]);
  });

  it('is nobody’s where the source has no times', () => {
    expect(sharesOf(null, of.call(1, { decode_us: 10 * SECOND }))).toEqual([null, null]);
  });

  it('of a policy that sampled, and no call says how long: its share is unknown, the other is known', () => {
    expect(sharesOf(100, of.call(1), phase(2, 'rate_limit', 95))).toEqual([0.95, null]);
  });

  it('of parallel calls that add up to more than it is of their sum', () => {
    const at = (seq: number) => of.call(seq, { prompt_prefix_len: 0, queue_us: 6 * SECOND, decode_us: 6 * SECOND });
    expect(sharesOf(12, at(1), at(2))).toEqual([0.5, 0.5]);
  });

  it('ends with the loop: what came after it is of neither', () => {
    const lane = createTestLane();
    lane.fold(of.start({ started_at: SECOND }), of.call(1, { queue_us: 0, decode_us: 10 * SECOND }));
    lane.fold(of.end(2, 'timeout', 'strands-env', { ended_at: 11 * SECOND }));
    lane.fold(of.phase('late', { phase: 'sandbox_setup' }, { duration_us: 90 * SECOND }), of.verdict(0));
    expect(lane.effects().rows.decisions[0]).toMatchObject({ infra_share: 0, policy_share: 1 });
  });
});
