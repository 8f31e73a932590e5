import type { PhaseName, StepEvent, ToolResult } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { foldCallFacts } from './fold-call-facts.ts';
import { foldVerdict } from './fold-verdict.ts';
import { foldCallWall, foldPhaseWall, foldToolWall } from './fold-wall.ts';
import { foldModelCall } from './segments.ts';

/**
 * The content of an accepted event, in order of seq; unsequenced ones when they come. Changes the attempt, never the event.
 * `countsTokens`: see AssembleRules.
 */
export function foldContent(attempt: Attempt, event: StepEvent, countsTokens: boolean): void {
  if (event.start !== null) {
    const { task_metadata_json, tokenizer_sha256, template_sha256, template_vars_json, sampling, limits } = event.start;
    attempt.start = { task_metadata_json, tokenizer_sha256, template_sha256, template_vars_json, sampling, limits };
  } else if (event.model_call !== null) {
    addWall(attempt, 'model', event.duration_us ?? event.model_call.server_e2e_us);
    // Ids restart at call_0000 every turn in some parsers: the pair (turn, id) is the key.
    for (const call of event.model_call.tool_calls) attempt.openCalls.push(`${attempt.calls}/${call.call_id}`);
    foldCallFacts(attempt, event.model_call);
    foldCallWall(attempt, event, event.model_call);
    foldModelCall(attempt, event, event.model_call, countsTokens);
  } else if (event.tool_result !== null) foldToolResult(attempt, event, event.tool_result);
  else if (event.phase !== null) {
    addWall(attempt, event.phase.phase, event.duration_us);
    foldPhaseWall(attempt, event.phase.phase, event.duration_us);
  } else if (event.verdict !== null) foldVerdict(attempt, event.verdict);
  else if (event.end !== null) {
    attempt.end = { reasons: event.end.reasons, exception: event.end.exception, limit: event.end.limit };
    attempt.endedAtUs = event.ended_at ?? event.started_at;
  }
}

function foldToolResult(attempt: Attempt, event: StepEvent, result: ToolResult): void {
  addWall(attempt, 'tool_wait', event.duration_us ?? sumOf(result.wait_us, result.exec_us));
  foldToolWall(attempt, event, result);
  const turn = result.turn ?? attempt.calls - 1;
  const asked = attempt.openCalls.indexOf(`${turn}/${result.call_id}`);
  if (asked < 0) attempt.unaskedResults += 1;
  else attempt.openCalls.splice(asked, 1);
}

/** A negative duration is of no clock at all: unknown, like none. */
function addWall(attempt: Attempt, phase: PhaseName, durationUs: number | null): void {
  if (durationUs !== null && durationUs >= 0) attempt.wallUs[phase] = (attempt.wallUs[phase] ?? 0) + durationUs;
}

function sumOf(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
