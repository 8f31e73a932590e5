import { describe, expect, it } from 'vitest';
import type { EndInit, ToolResultInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

const of = attemptOf();

function endedBy(end: EndInit, ...results: readonly ToolResultInit[]) {
  const lane = createTestLane();
  const tool_calls = results.map(({ call_id }) => ({ call_id }));
  lane.fold(of.start(), of.call(1, { tool_calls }));
  lane.fold(...results.map((result, i) => of.tool(2 + i, result)));
  lane.fold(of.ending(2 + results.length, end), of.verdict(1));
  const { rows } = lane.effects();
  const [row] = rows.trajectories;
  return {
    decision: rows.decisions[0],
    reasons: row?.trajectory.reasons.map(({ code, raw, attribution }) => [code, raw, attribution]),
  };
}
const raw = (value: string, system: string, detail: string | null = null): EndInit => ({
  reasons: [{ raw: value, system, detail }],
});

describe('several reasons', () => {
  it('of one value that says two things are two, and the budget decides', () => {
    const { decision, reasons } = endedBy(raw('submitted (exit_cost)', 'swe-agent'));
    expect(reasons).toEqual([
      ['submitted', 'submitted (exit_cost)', null],
      ['cost', 'submitted (exit_cost)', null],
    ]);
    expect(decision).toMatchObject({ reason_code: 'cost', category: 'budget', disposition: 'train', reward: 1 });
  });

  it('of one value of which half is unknown is looked at: the other half is no proof', () => {
    const { decision, reasons } = endedBy(raw('submitted (exit_somehow)', 'swe-agent'));
    expect(reasons?.map(([code]) => code)).toEqual(['submitted', 'unknown']);
    expect(decision).toMatchObject({ reason_code: 'unknown', disposition: 'quarantine' });
  });

  it('stay in the order of their source, and a fault before the end decides', () => {
    const { decision, reasons } = endedBy({
      reasons: [
        { raw: 'max_turns', system: 'verifiers' },
        { raw: 'verifiers.errors.SandboxError', system: 'verifiers' },
      ],
    });
    expect(reasons?.map(([code]) => code)).toEqual(['max_turns', 'env_crash']);
    expect(decision).toMatchObject({ reason_code: 'env_crash', disposition: 'retry' });
  });
});

describe('a limit that its word leaves open', () => {
  const exceeded = raw('LimitsExceeded', 'mini-swe-agent');

  it('is the one that the end event names, first; both are kept', () => {
    for (const [kind, code] of [
      ...[['turns', 'max_turns'] as const, ['cost', 'cost'] as const, ['tokens', 'total_tokens'] as const],
      ...[['context', 'context_overflow'] as const, ['wall_clock', 'wall_clock'] as const],
    ]) {
      const { decision, reasons } = endedBy({ ...exceeded, limit: { kind, limit: 1, used: 1 } });
      expect(decision).toMatchObject({ reason_code: code, category: 'budget' });
      expect(reasons).toEqual([
        [code, kind, null],
        ['limit_unspecified', 'LimitsExceeded', null],
      ]);
    }
  });

  it('stays open where nobody names it, or under a name that nobody knows; a word that says more is left alone', () => {
    expect(endedBy(exceeded).reasons).toEqual([['limit_unspecified', 'LimitsExceeded', null]]);
    expect(endedBy({ ...exceeded, limit: { kind: 'patience' } }).reasons).toHaveLength(1);
    const cost = { ...raw('LimitsExceeded(cost)', 'mini-swe-agent'), limit: { kind: 'turns' } };
    expect(endedBy(cost).reasons?.map(([code]) => code)).toEqual(['cost']);
  });
});

describe('an exception', () => {
  it('says what exit_error does not: a rate limit is no failure of the policy (case 79)', () => {
    for (const end of [
      raw('exit_error', 'swe-agent', 'litellm.RateLimitError: 429'),
      {
        ...raw('exit_error', 'swe-agent'),
        exception: { type: 'litellm.exceptions.RateLimitError', message: '429' },
      },
      { ...raw('exit_error', 'swe-agent'), exception: { type: null, message: 'litellm.RateLimitError: 429' } },
    ]) {
      const { decision, reasons } = endedBy(end);
      expect(reasons?.map(([code]) => code)).toEqual(['agent_error', 'rate_limited']);
      expect(decision).toMatchObject({ reason_code: 'rate_limited', disposition: 'retry', reward: null });
    }
  });

  it('that nobody has mapped adds nothing: the loop has given its own reason', () => {
    const { decision, reasons } = endedBy({
      ...raw('exit_error', 'swe-agent'),
      exception: { type: 'KeyError', message: 'x' },
    });
    expect(reasons?.map(([code]) => code)).toEqual(['agent_error']);
    expect(decision?.reason_code).toBe('agent_error');
  });

  it('as the only reason is mapped by its class, with or without its module', () => {
    for (const value of ['RateLimitError', 'openai.RateLimitError', 'litellm.exceptions.RateLimitError'])
      expect(endedBy(raw(value, 'mini-swe-agent')).decision).toMatchObject({ reason_code: 'rate_limited' });
    expect(endedBy(raw('openai.RateLimitErrors', 'mini-swe-agent')).decision).toMatchObject({ reason_code: 'unknown' });
    // A name that several libraries use counts with the module of one that calls models.
    expect(endedBy(raw('openai.APIError', 'mini-swe-agent')).decision).toMatchObject({ reason_code: 'llm_error' });
    expect(endedBy(raw('docker.errors.APIError', 'mini-swe-agent')).decision).toMatchObject({ reason_code: 'unknown' });
  });

  it('is not looked for in the text beside a completion', () => {
    const { decision } = endedBy(raw('task_complete', 'strands-env', 'RateLimitError: twice, then it went through'));
    expect(decision).toMatchObject({ reason_code: 'task_complete', disposition: 'train' });
  });
});

describe('whose a time-out or an out-of-memory was', () => {
  const timedOut = (result: Partial<ToolResultInit>) =>
    endedBy(raw('exit_command_timeout', 'swe-agent'), { call_id: 'a', status: 'timeout', ...result }).reasons;

  it('is on the reason: by the last tool that timed out', () => {
    expect(timedOut({ wait_us: 1, exec_us: 60 })).toEqual([['tool_timeout', 'exit_command_timeout', 'policy']]);
    expect(timedOut({ wait_us: 60, exec_us: 1 })).toEqual([['tool_timeout', 'exit_command_timeout', 'env']]);
    expect(timedOut({})).toEqual([['tool_timeout', 'exit_command_timeout', 'unknown']]);
  });

  it('is unknown when no tool says that it timed out, and of no other reason at all', () => {
    expect(endedBy(raw('env_timeout', 'roll')).reasons).toEqual([['tool_timeout', 'env_timeout', 'unknown']]);
    expect(endedBy(raw('timeout', 'strands-env')).reasons).toEqual([['wall_clock', 'timeout', null]]);
  });

  it('of memory, by the last tool that was killed', () => {
    const killed = (status: ToolResultInit['status']) =>
      endedBy(raw('MemoryLimitExceededError', 'harbor'), { call_id: 'a', status, exit_code: 137 }).reasons;
    expect(killed('tool_error')).toEqual([['out_of_memory', 'MemoryLimitExceededError', 'policy']]);
    expect(killed('sandbox_error')).toEqual([['out_of_memory', 'MemoryLimitExceededError', 'unknown']]);
  });
});
