import type { Failure, RawReason, StepEvent } from '../../../schemas/generated/step-event.ts';
import { type Column, column } from '../encode-batch.ts';
import type { RowBinaryWriter } from '../row-binary.ts';
import {
  asInt64,
  asNullableBlob,
  asNullableFloat64,
  asNullableInt32,
  asNullableMicros,
  asNullableString,
  asString,
} from '../value-writers.ts';
import { callColumns } from './call-columns.ts';
import { eventRest } from './event-rest.ts';
import { identityColumns } from './identity-columns.ts';
import { timeColumns } from './time-columns.ts';

/**
 * A step event, whole: kinds share the columns that mean the same (`text`, `call_id`, `status`, `error_…`), and what has no
 * column is in `detail_json`. `seq` is -1 where the event has none; then `unsequenced_id` holds the event id, so that the
 * key (… seq, unsequenced_id) lets a successor's event replace the one of the same seq, whatever its id.
 */
export function eventColumns<Row>(
  eventOf: (row: Row) => StepEvent,
  unsequencedIdOf: (row: Row) => string = (row) => idOf(eventOf(row)),
): Column<Row>[] {
  const of = (name: string, write: (w: RowBinaryWriter, event: StepEvent) => void): Column<Row> =>
    column(name, (w, row) => write(w, eventOf(row)));
  return [
    ...identityColumns(eventOf),
    of('segment_id', (w, event) => w.string(event.segment_id)),
    of('seq', (w, event) => w.int32(event.seq ?? -1)),
    column('unsequenced_id', (w, row) => w.string(unsequencedIdOf(row))),
    of('event_id', (w, event) => w.string(event.event_id)),
    of('producer_id', (w, event) => w.string(event.producer_id)),
    of('kind', (w, event) => w.string(event.kind)),
    ...timeColumns(eventOf),
    of('duration_us', (w, event) => w.nullable(event.duration_us, asInt64)),
    of('source_format', (w, event) => w.string(event.source.format)),
    of('source_version', (w, event) => w.string(event.source.version)),
    of('source_location', (w, event) => asNullableString(w, event.source.location)),
    of('extra_json', (w, event) => asNullableString(w, event.extra_json)),
    of('text', (w, event) => writeText(w, event)),
    of('call_id', (w, event) => asNullableString(w, event.model_call?.call_id ?? event.tool_result?.call_id)),
    of('status', (w, event) => w.string(event.tool_result?.status ?? event.verdict?.status ?? '')),
    of('has_error', (w, event) => w.bool(errorOf(event) !== null)),
    of('error_type', (w, event) => asNullableString(w, errorOf(event)?.type)),
    of('error_message', (w, event) => asNullableString(w, errorOf(event)?.message)),
    ...callColumns(eventOf),
    of('role', (w, event) => w.string(event.message?.role ?? '')),
    of('tool_name', (w, event) => asNullableString(w, event.tool_result?.name)),
    of('tool_turn', (w, event) => asNullableInt32(w, event.tool_result?.turn)),
    of('executed_arguments', (w, event) => asNullableString(w, event.tool_result?.executed_arguments)),
    of('exit_code', (w, event) => asNullableInt32(w, event.tool_result?.exit_code)),
    of('wait_us', (w, event) => asNullableMicros(w, event.tool_result?.wait_us)),
    of('exec_us', (w, event) => asNullableMicros(w, event.tool_result?.exec_us)),
    of('phase', (w, event) => w.string(event.phase?.phase ?? '')),
    of('reasons.raw', (w, event) => w.array(reasonsOf(event), (x, reason) => x.string(reason.raw))),
    of('reasons.system', (w, event) => w.array(reasonsOf(event), (x, reason) => x.string(reason.system))),
    of('reasons.detail', (w, event) => w.array(reasonsOf(event), (x, reason) => asNullableString(x, reason.detail))),
    of('reasons.after_end', (w, event) => w.array(reasonsOf(event), (x, reason) => x.bool(reason.after_end))),
    of('env_reward', (w, event) => asNullableFloat64(w, event.end?.env_reward)),
    of('control_type', (w, event) => w.string(event.control?.type ?? '')),
    of('task_metadata_json', (w, event) => asNullableString(w, event.start?.task_metadata_json)),
    of('tools_json', (w, event) => asNullableString(w, event.start?.tools_json)),
    of('tokenizer_sha256', (w, event) => asNullableString(w, event.start?.tokenizer_sha256)),
    of('template_sha256', (w, event) => asNullableString(w, event.start?.template_sha256)),
    of('weights_version', (w, event) => asNullableString(w, event.start?.weights_version)),
    of('detail_json', (w, event) => w.string(eventRest(event))),
  ];
}

function idOf({ seq, event_id }: StepEvent): string {
  return seq === null ? event_id : '';
}

function writeText(writer: RowBinaryWriter, event: StepEvent): void {
  const { start, model_call, tool_result, end, message } = event;
  if (message !== null) writer.nullable(message.parts_json, asString);
  else asNullableBlob(writer, model_call?.raw_text ?? tool_result?.output ?? start?.prompt ?? end?.final_response);
}

function errorOf(event: StepEvent): Failure | null {
  return event.model_call?.error ?? event.tool_result?.error ?? event.phase?.error ?? event.end?.exception ?? null;
}

const noReasons: RawReason[] = [];

function reasonsOf(event: StepEvent): RawReason[] {
  return event.end?.reasons ?? noReasons;
}
