import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { textOfBytes } from '../../../processors/model/text-bytes.ts';
import type { Failure, ModelCall, StepEvent } from '../../../schemas/generated/step-event.ts';
import { endingOf } from './ending-of.ts';
import type { RecordedStep, RecordedStepCall } from './gather-rollouts.ts';

/** What an event says, as far as a stack is judged by it. */
export function stepOfEvent(event: StepEvent, taxonomy: Taxonomy): RecordedStep {
  const { start, message, model_call, tool_result, end } = event;
  const texts = [textOf(start?.prompt ?? null), start?.task_metadata_json ?? null, message?.parts_json ?? null];
  return {
    runId: event.run_id,
    rolloutId: event.rollout_id,
    taskId: event.task_id,
    attempt: event.attempt,
    segmentId: event.segment_id,
    where: event.source.location ?? event.run_id,
    texts: texts.filter((text) => text !== null),
    call: model_call === null ? null : callOf(model_call),
    result:
      tool_result === null
        ? null
        : {
            callId: tool_result.call_id,
            turn: tool_result.turn,
            name: tool_result.name,
            executed: tool_result.executed_arguments,
            status: tool_result.status,
            output: textOf(tool_result.output),
          },
    ending: end === null ? null : endingOf(end.reasons, failureText(end.exception), taxonomy),
  };
}

function callOf(call: ModelCall): RecordedStepCall {
  return {
    prefixLength: call.prompt_prefix_len,
    deltaIds: uint32s(call.prompt_delta_ids),
    completionIds: uint32s(call.completion_ids),
    logprobs: float32s(call.completion_logprobs),
    rawText: textOf(call.raw_text),
    finishReason: call.finish_reason,
    weightSpans: call.weight_spans,
    error: failureText(call.error),
    toolCalls: call.tool_calls.map(({ call_id, name, arguments_raw, arguments_parsed, parse_status }) => ({
      callId: call_id,
      name,
      raw: textOf(arguments_raw),
      parsed: arguments_parsed,
      status: parse_status,
    })),
  };
}

/** '' where it failed and nobody said how. */
function failureText(failure: Failure | null): string | null {
  return failure === null ? null : [failure.type, failure.message].filter((text) => text !== null).join(': ');
}

/** Bytes that are no text are shown as well as can be. */
function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : (textOfBytes(bytes) ?? bytes.toString('utf8'));
}

function uint32s(bytes: Buffer | null): number[] | null {
  if (bytes === null) return null;
  return Array.from({ length: bytes.length >>> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}

function float32s(bytes: Buffer | null): number[] | null {
  if (bytes === null) return null;
  return Array.from({ length: bytes.length >>> 2 }, (_, index) => bytes.readFloatLE(index * 4));
}
