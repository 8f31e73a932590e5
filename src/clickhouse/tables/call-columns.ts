import type { ModelCall, StepEvent, ToolCall, WeightSpan } from '../../../schemas/generated/step-event.ts';
import { type Column, column } from '../encode-batch.ts';
import type { RowBinaryWriter } from '../row-binary.ts';
import { asNullableBlob, asNullableInt32, asNullableMicros, asNullableString } from '../value-writers.ts';

const nothing = new Uint8Array(0);
const noToolCalls: ToolCall[] = [];
const noSpans: WeightSpan[] = [];

/** A model call. An Array cannot be Nullable: `has_…` tells an empty array from none. */
export function callColumns<Row>(eventOf: (row: Row) => StepEvent): Column<Row>[] {
  const of = (name: string, write: (w: RowBinaryWriter, call: ModelCall | null) => void): Column<Row> =>
    column(name, (w, row) => write(w, eventOf(row).model_call));
  const packed = (name: string, bytesOf: (call: ModelCall) => Uint8Array | null): Column<Row>[] => [
    of(`has_${name}`, (w, call) => w.bool(call !== null && bytesOf(call) !== null)),
    of(name, (w, call) => w.packed((call && bytesOf(call)) ?? nothing, 4)),
  ];
  const ofToolCalls = (name: string, write: (w: RowBinaryWriter, toolCall: ToolCall) => void): Column<Row> =>
    of(`tool_calls.${name}`, (w, call) => w.array(call?.tool_calls ?? noToolCalls, write));
  return [
    of('model', (w, call) => asNullableString(w, call?.model)),
    of('replica', (w, call) => asNullableString(w, call?.replica)),
    of('prompt_prefix_len', (w, call) => asNullableInt32(w, call?.prompt_prefix_len)),
    ...packed('prompt_delta_ids', (call) => call.prompt_delta_ids),
    ...packed('completion_ids', (call) => call.completion_ids),
    ...packed('completion_logprobs', (call) => call.completion_logprobs),
    of('logprobs_mode', (w, call) => w.string(call?.logprobs_mode ?? '')),
    of('weight_spans.start', (w, call) => w.array(call?.weight_spans ?? noSpans, (x, span) => x.int32(span.start))),
    of('weight_spans.version', (w, call) =>
      w.array(call?.weight_spans ?? noSpans, (x, span) => x.string(span.version)),
    ),
    of('finish_reason', (w, call) => asNullableString(w, call?.finish_reason)),
    of('queue_us', (w, call) => asNullableMicros(w, call?.queue_us)),
    of('prefill_us', (w, call) => asNullableMicros(w, call?.prefill_us)),
    of('decode_us', (w, call) => asNullableMicros(w, call?.decode_us)),
    of('server_e2e_us', (w, call) => asNullableMicros(w, call?.server_e2e_us)),
    ofToolCalls('call_id', (w, toolCall) => w.string(toolCall.call_id)),
    ofToolCalls('name', (w, toolCall) => asNullableString(w, toolCall.name)),
    ofToolCalls('arguments_raw', (w, toolCall) => asNullableBlob(w, toolCall.arguments_raw)),
    ofToolCalls('arguments_parsed', (w, toolCall) => asNullableString(w, toolCall.arguments_parsed)),
    ofToolCalls('char_start', (w, toolCall) => asNullableInt32(w, toolCall.char_start)),
    ofToolCalls('char_end', (w, toolCall) => asNullableInt32(w, toolCall.char_end)),
    ofToolCalls('parse_status', (w, toolCall) => w.string(toolCall.parse_status)),
    ofToolCalls('parser', (w, toolCall) => asNullableString(w, toolCall.parser)),
  ];
}
