import { describe, expect, it } from 'vitest';
import { memoryOf, timeoutOf } from '../../../processors/assemble/tool-attribution.ts';
import type { StepEvent, ToolResult, ToolStatus } from '../../../schemas/generated/step-event.ts';

const result = (status: ToolStatus, over: Partial<ToolResult> = {}): ToolResult => ({
  ...{ call_id: 'a', turn: null, name: null, executed_arguments: null, status, output: null, output_ref: null },
  ...{ exit_code: null, wait_us: null, exec_us: null, error: null },
  ...over,
});
const took = (duration_us: number | null): Pick<StepEvent, 'duration_us'> => ({ duration_us });

describe('a tool’s time-out is', () => {
  it('the policy’s where its command ran longer than it waited for a slot', () => {
    expect(timeoutOf(took(null), result('timeout', { wait_us: 10, exec_us: 60 }))).toBe('policy');
    expect(timeoutOf(took(60), result('timeout', { exec_us: 60 }))).toBe('policy');
  });

  it('the environment’s where it waited as long as it ran, or hardly ran', () => {
    expect(timeoutOf(took(null), result('timeout', { wait_us: 60, exec_us: 60 }))).toBe('env');
    expect(timeoutOf(took(60), result('timeout', { exec_us: 29 }))).toBe('env');
    expect(timeoutOf(took(60), result('timeout', { exec_us: 30 }))).toBe('policy');
  });

  it('nobody’s where the events do not say', () => {
    expect(timeoutOf(took(null), result('timeout'))).toBe('unknown');
    expect(timeoutOf(took(60), result('timeout'))).toBe('unknown');
    expect(timeoutOf(took(60), result('timeout', { wait_us: 60 }))).toBe('unknown');
    expect(timeoutOf(took(null), result('timeout', { exec_us: 60 }))).toBe('unknown');
    expect(timeoutOf(took(-5), result('timeout', { exec_us: 60 }))).toBe('unknown');
  });

  it('none where the tool did not time out', () => {
    for (const status of ['ok', 'tool_error', 'sandbox_error', 'unknown'] as const)
      expect(timeoutOf(took(60), result(status, { exec_us: 60 }))).toBeNull();
  });
});

describe('memory that ran out is', () => {
  it('the policy’s where its command was killed and the sandbox lived', () => {
    expect(memoryOf(result('tool_error', { exit_code: 137 }))).toBe('policy');
    expect(memoryOf(result('ok', { exit_code: -9 }))).toBe('policy');
  });

  it('nobody’s where the sandbox died with it, and the environment’s where nothing had run', () => {
    expect(memoryOf(result('sandbox_error', { exit_code: 137, exec_us: 5 }))).toBe('unknown');
    expect(memoryOf(result('sandbox_error', { exit_code: 137 }))).toBe('unknown');
    expect(memoryOf(result('sandbox_error', { exit_code: 137, exec_us: 0 }))).toBe('env');
  });

  it('none where nothing was killed, or what was killed had timed out', () => {
    expect(memoryOf(result('tool_error', { exit_code: 1 }))).toBeNull();
    expect(memoryOf(result('sandbox_error'))).toBeNull();
    expect(memoryOf(result('timeout', { exit_code: 137 }))).toBeNull();
    expect(memoryOf(result('cancelled', { exit_code: -9 }))).toBeNull();
  });
});
