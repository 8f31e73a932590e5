import type { ModelCall, PhaseName, StepEvent, ToolResult } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { factsOf, type WallParts } from '../model/attempt-facts.ts';
import { memoryOf, timeoutOf } from './tool-attribution.ts';

type Part = keyof WallParts;

/** Absent: the time of the phase is explained by other events, or came after the end, or nobody knows whose it is. */
const PART_OF_PHASE: Readonly<Partial<Record<PhaseName, Part>>> = {
  queue: 'engine',
  rate_limit: 'rateLimit',
  weight_sync: 'weightSync',
  sandbox_setup: 'sandbox',
  agent_setup: 'sandbox',
  cpu: 'loop',
  other: 'loop',
};

/** A phase after the end is in `wall_ms` alone: a clean-up that hangs has not made the rollout slower. */
export function foldPhaseWall(attempt: Attempt, phase: PhaseName, durationUs: number | null): void {
  const part = PART_OF_PHASE[phase];
  if (part !== undefined && attempt.end === null) add(attempt, part, durationUs);
}

/** A call by the engine's own figures. One without them explains nothing: its time may be the queue's. */
export function foldCallWall(attempt: Attempt, { duration_us }: StepEvent, call: ModelCall): void {
  const { queue_us, prefill_us, decode_us, server_e2e_us } = call;
  if (call.error !== null) {
    add(attempt, 'engine', duration_us ?? server_e2e_us);
    return;
  }
  add(attempt, 'policy', prefill_us);
  add(attempt, 'policy', decode_us);
  add(attempt, 'engine', queue_us);
  if (server_e2e_us === null) return;
  // Retracted and computed again, or waiting between steps: within the server, and in none of its three figures.
  if (queue_us !== null && prefill_us !== null && decode_us !== null)
    add(attempt, 'engine', server_e2e_us - queue_us - prefill_us - decode_us);
  if (duration_us !== null) add(attempt, 'engine', duration_us - server_e2e_us);
}

export function foldToolWall(attempt: Attempt, event: StepEvent, result: ToolResult): void {
  const timeout = timeoutOf(event, result);
  const memory = memoryOf(result);
  if (timeout !== null) factsOf(attempt).timeoutOf = timeout;
  if (memory !== null) factsOf(attempt).memoryOf = memory;
  const whole = event.duration_us ?? (result.wait_us ?? 0) + (result.exec_us ?? 0);
  if (result.status === 'rate_limited') add(attempt, 'rateLimit', whole);
  else if (result.status === 'sandbox_error' || timeout === 'env') add(attempt, 'sandbox', whole);
  else {
    add(attempt, 'sandbox', result.wait_us);
    if (timeout !== 'unknown') add(attempt, 'tool', result.exec_us);
  }
}

/** A negative duration is of no clock at all. */
function add(attempt: Attempt, part: Part, durationUs: number | null): void {
  if (durationUs !== null && durationUs > 0) factsOf(attempt).wall[part] += durationUs;
}
