import type { PhaseName, StepEvent, ToolResult } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { foldModelCall } from './segments.ts';

/** The content of an accepted event, in order of seq; unsequenced ones when they come. Changes the attempt, never the event. */
export function foldContent(attempt: Attempt, event: StepEvent): void {
  if (event.start !== null) attempt.start = event.start;
  else if (event.model_call !== null) {
    addWall(attempt, 'model', event.duration_us ?? event.model_call.server_e2e_us);
    // Ids restart at call_0000 every turn in some parsers: the pair (turn, id) is the key.
    for (const call of event.model_call.tool_calls) attempt.openCalls.add(`${attempt.calls}/${call.call_id}`);
    foldModelCall(attempt, event, event.model_call);
  } else if (event.tool_result !== null) foldToolResult(attempt, event, event.tool_result);
  else if (event.phase !== null) addWall(attempt, event.phase.phase, event.duration_us);
  else if (event.verdict !== null) {
    const { scorer, scorer_version, status, rewards, bound_to } = event.verdict;
    attempt.verdicts.push({ scorer, scorerVersion: scorer_version, status, rewards, boundTo: bound_to });
  } else if (event.end !== null) {
    attempt.end = event.end;
    attempt.endedAtUs = event.ended_at ?? event.started_at;
  }
}

function foldToolResult(attempt: Attempt, event: StepEvent, result: ToolResult): void {
  addWall(attempt, 'tool_wait', event.duration_us ?? sumOf(result.wait_us, result.exec_us));
  const turn = result.turn ?? attempt.calls - 1;
  if (!attempt.openCalls.delete(`${turn}/${result.call_id}`)) attempt.unaskedResults += 1;
}

function addWall(attempt: Attempt, phase: PhaseName, durationUs: number | null): void {
  if (durationUs !== null) attempt.wallUs.set(phase, (attempt.wallUs.get(phase) ?? 0) + durationUs);
}

function sumOf(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
