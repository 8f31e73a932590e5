import type { FailureInit, ToolCallInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonValue } from '../exact-number.ts';
import type { createTokenPrefixes } from '../token-prefixes.ts';
import type { RecordedCall } from './a2e-episode.ts';
import { restOfMessage } from './a2e-message.ts';
import { chatToolCalls } from './chat-tool-calls.ts';

export interface CallAround {
  /** From 0, over the episode. */
  readonly number: number;
  /** What the agent did between this call and the next. */
  readonly asked: readonly ToolCallInit[];
  readonly prefixOf: ReturnType<typeof createTokenPrefixes>;
  readonly version: string;
}

const TAKEN = ['episode_id', 'duration_us', 'tool_calls', 'error', 'model', 'replica', 'call_id'];

/** A recorded call; answers with its tool calls: those recorded with it, else what the agent did after it. */
export function addA2eCall(out: AttemptEvents, item: RecordedCall, around: CallAround): readonly ToolCallInit[] {
  const { message, answer, durationUs } = item;
  const { value, time } = message;
  const recorded = chatToolCalls(value.tool_calls);
  const ofEngine = answer?.call.tool_calls ?? [];
  const listed = recorded.calls.length > 0 ? recorded.calls : ofEngine;
  const calls = listed.length > 0 ? listed : around.asked;
  const { prompt, call } = answer ?? { prompt: null, call: {} };
  const completion = call.completion_ids ?? null;
  const tokens = prompt === null || completion === null ? null : around.prefixOf(prompt, completion);
  const spans = call.weight_spans ?? [];
  const isTold = tokens !== null || spans.length <= 1;
  const { model, replica, call_id, error } = value;
  out.add(
    'model_call',
    {
      model_call: {
        ...call,
        call_id: typeof call_id === 'string' && call_id !== '' ? call_id : (answer?.callId ?? `call-${around.number}`),
        model: call.model ?? (typeof model === 'string' ? model : null),
        replica: typeof replica === 'string' ? replica : null,
        ...tokens,
        // Half of the tokens of a call prove nothing.
        weight_spans: isTold ? spans : [],
        completion_ids: tokens === null ? null : completion,
        completion_logprobs: tokens === null ? null : (call.completion_logprobs ?? null),
        tool_calls: [...calls],
        error: failureOf(error),
      },
    },
    {
      ...answer?.extra,
      ids_without_prompt: tokens === null && completion !== null ? idsOf(completion) : undefined,
      weight_spans: isTold ? undefined : spans.map(({ start, version }) => ({ start, version })),
      prompt_without_ids: tokens === null && prompt !== null ? idsOf(prompt) : undefined,
      tool_calls_from: listed.length > 0 || calls.length === 0 ? undefined : 'the actions that followed',
      recorded: restOfMessage(message, around.version, TAKEN),
      tool_calls: recorded.kept ?? answer?.extra.tool_calls,
      error: isSaid(error) ? undefined : error,
      model:
        typeof model === 'string' && (call.model === model || call.model === null || call.model === undefined)
          ? undefined
          : model,
      replica: typeof replica === 'string' ? undefined : replica,
      call_id: typeof call_id !== 'string' ? call_id : undefined,
      engine_call_id: call_id !== undefined && answer?.callId !== null ? answer?.callId : undefined,
      duration_us: durationUs === null ? value.duration_us : undefined,
    },
    {
      startedAtUs: time.us === null || durationUs === null ? null : time.us - durationUs,
      endedAtUs: time.us,
      durationUs,
    },
  );
  return calls;
}

function idsOf(bytes: Buffer): JsonValue[] {
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4));
}

function isSaid(error: JsonValue | undefined): boolean {
  return error === undefined || error === null || typeof error === 'string';
}

function failureOf(error: JsonValue | undefined): FailureInit | null {
  if (error === undefined || error === null) return null;
  if (typeof error === 'string') return { type: null, message: error };
  if (!isObject(error)) return { type: null, message: null };
  const { type, message } = error;
  return { type: typeof type === 'string' ? type : null, message: typeof message === 'string' ? message : null };
}
