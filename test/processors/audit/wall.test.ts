import { describe, expect, it } from 'vitest';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';
import { streamAudited } from './stream-audited.ts';

const of = attemptOf();
const S = 1_000_000;
const T0 = 1_700_000_000 * S;
/** Begin and end, in seconds after the start. */
const at = (from: number, to: number) => ({ started_at: T0 + from * S, ended_at: T0 + to * S });
const instant = (s: number) => ({ started_at: T0 + s * S, ended_at: null });

const wall = (...events: readonly StepEventInit[]) => streamAudited('wall', ...events);
function partsOf(...events: readonly StepEventInit[]) {
  const lane = createTestLane({ audits: createStreamAudits() });
  lane.fold(...events);
  return lane.effects().rows.trajectories[0]?.trajectory.wall_ms;
}
/** From 0 to `end` seconds. */
const rollout = (end: number, ...steps: readonly StepEventInit[]) => [
  of.start(instant(0)),
  ...steps,
  of.end(steps.length + 1, 'task_complete', 'strands-env', instant(end)),
  of.verdict(1),
];

describe('the wall clock of a rollout', () => {
  it('is the sum of its parts; tools in parallel count once', () => {
    const steps = [
      of.call(1, {}, at(0, 2)),
      of.tool(2, { call_id: 'a' }, at(2, 5)),
      of.tool(3, { call_id: 'b' }, at(2, 6)),
      of.call(4, { prompt_prefix_len: 5 }, at(6.5, 9)),
    ];
    expect(partsOf(...rollout(10, ...steps))).toEqual({ total: 10_000, model: 4_500, tool_wait: 4_000, other: 1_500 });
    expect(wall(...rollout(10, ...steps))).toMatchObject({ result: 'pass', said: [] });
  });

  it('gives 88 s of a blocked loop to nobody who does not say so, and to the loop where a phase does (case 126)', () => {
    const steps = [of.tool(1, { call_id: 'a' }, at(0, 5)), of.call(2, {}, at(93.1, 95))];
    expect(partsOf(...rollout(95, ...steps))).toEqual({ total: 95_000, tool_wait: 5_000, model: 1_900, other: 88_100 });
    const lag = of.phase('lag', { phase: 'cpu' }, { seq: 3, ...at(5, 93) });
    expect(partsOf(...rollout(95, ...steps, lag))).toMatchObject({ cpu: 88_000, model: 1_900, other: 100 });
  });

  it('ends with its end: a clean-up that hangs is its lifetime’s (case 82)', () => {
    const killed = of.phase('clean-up', { phase: 'cleanup' }, at(100, 3600));
    const events = [of.start(instant(0)), of.call(1, {}, at(0, 100))];
    const ended = of.end(2, 'task_complete', 'strands-env', instant(100));
    const expected = { total: 100_000, model: 100_000, cleanup: 3_500_000 };
    expect(partsOf(...events, ended, killed, of.verdict(1))).toEqual(expected);
    const untimed = of.phase('clean-up', { phase: 'cleanup' }, { duration_us: 3500 * S });
    expect(partsOf(...events, ended, untimed, of.verdict(1))).toEqual(expected);
    expect(wall(...events, ended, killed, of.verdict(1)).result).toBe('pass');
  });

  it('takes the monotonic duration where clocks of two hosts disagree, else 0, and says so (case 125)', () => {
    const skewed = { started_at: T0 + 1000, ended_at: T0 + 950 };
    const steps = [of.call(1, {}, { ...skewed, duration_us: 5000 }), of.tool(2, { call_id: 'x' }, skewed)];
    expect(partsOf(...rollout(1, ...steps))).toEqual({ total: 1000, model: 5, other: 995 });
    const { result, said, findings } = wall(...rollout(1, ...steps));
    expect(result).toBe('warn');
    expect(said).toEqual(['clock_skew warn null null']);
    expect(findings[0]?.detail).toBe('2 of its steps end before they begin, the first: model at call 0 by 0.05 ms');
  });

  it('warns of steps outside of it', () => {
    const { said, findings } = wall(
      ...rollout(5, of.call(1, {}, at(-2, 1)), of.call(2, { prompt_prefix_len: 5 }, at(4, 6))),
    );
    expect(said).toEqual(['clock_skew warn null null']);
    expect(findings[0]?.detail).toContain('2 of its steps lie outside its start and end, by up to 2000 ms');
  });

  it('warns of a model and a tool at once, and not of agents beside each other', () => {
    const steps = (segment_id: string) => [
      of.call(1, {}, at(0, 4)),
      of.tool(2, { call_id: 'a' }, { ...at(3, 5), segment_id }),
    ];
    const { said, findings } = wall(...rollout(5, ...steps('main')));
    expect(said).toEqual(['overlap warn null null']);
    expect(findings[0]?.detail).toBe('model and tool_wait at once for 1000 ms, counted as model');
    expect(partsOf(...rollout(5, ...steps('main')))).toEqual({ total: 5000, model: 4000, tool_wait: 1000 });
    expect(wall(...rollout(5, ...steps('helper'))).said).toEqual([]);
  });

  it('tells what was tried again, and what waited for a limit, from work', () => {
    const failed = (type: string) => ({ error: { type, message: null }, prompt: null, sampled: null, logprobs: null });
    const steps = [
      of.call(1, failed('RateLimitError: 429'), at(0, 1)),
      of.call(2, failed('ConnectionError'), at(1, 3)),
      of.call(3, {}, at(3, 6)),
    ];
    expect(partsOf(...rollout(6, ...steps))).toEqual({
      total: 6000,
      model: 3000,
      rate_limit: 1000,
      engine_retry: 2000,
    });
  });
});

describe('what the source does not say is missing, not 0', () => {
  it('no times at all', () => {
    expect(wall(...of.whole()).missing).toBe('no start or end time');
    expect(partsOf(...of.whole())).toEqual({});
  });

  it('durations alone: the sums stand as they are', () => {
    const steps = [of.call(1, {}, { duration_us: 2 * S }), of.tool(2, { call_id: 'a' }, { duration_us: S })];
    expect(wall(...rollout(5, ...steps))).toMatchObject({
      ...{ result: 'not_auditable', missing: 'durations without times: parallel work cannot be told from serial' },
    });
    expect(partsOf(...rollout(5, ...steps))).toEqual({ model: 2000, tool_wait: 1000 });
  });

  it('one step without a time', () => {
    const steps = [of.call(1, {}, at(0, 2)), of.tool(2, { call_id: 'a' })];
    expect(wall(...rollout(5, ...steps)).missing).toBe('1 of its calls, tool results and phases have no time');
  });

  it('an end before the start', () => {
    const { result, said, missing } = wall(...rollout(-5, of.call(1, {}, at(0, 1))));
    expect(result).toBe('not_auditable');
    expect(missing).toBe('its end is before its start');
    expect(said).toEqual(['clock_skew warn null null']);
  });
});
