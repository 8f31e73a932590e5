import type { StepEvent, ToolResult } from '../../schemas/generated/step-event.ts';
import type { Attribution } from '../model/attempt-facts.ts';

/** Exit code of a process that was killed (128 + SIGKILL), which is how running out of memory looks from outside. */
const KILLED = [137, -9];

/**
 * Whose a tool's time-out was; null: it did not time out. The environment's where it waited for its slot at least as long as it
 * ran, or where running is less than half of what it took; the policy's where it ran longer than it waited.
 */
export function timeoutOf(event: Pick<StepEvent, 'duration_us'>, result: ToolResult): Attribution | null {
  if (result.status !== 'timeout') return null;
  const { exec_us: ran, wait_us: waited } = result;
  if (ran !== null && waited !== null) return waited >= ran ? 'env' : 'policy';
  const took = event.duration_us;
  if (ran === null || took === null || took <= 0) return 'unknown';
  return 2 * ran < took ? 'env' : 'policy';
}

/**
 * Whose memory ran out; null: nothing says that it did. A process that was killed while its sandbox lived asked for more than
 * the sandbox gives: the policy's command. Where both died nobody knows which was too big, unless nothing had run.
 */
export function memoryOf({ status, exit_code, exec_us }: ToolResult): Attribution | null {
  if (exit_code === null || !KILLED.includes(exit_code) || status === 'timeout' || status === 'cancelled') return null;
  if (status !== 'sandbox_error') return 'policy';
  return exec_us === 0 ? 'env' : 'unknown';
}
