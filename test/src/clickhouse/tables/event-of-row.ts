import { textOfBytes } from '../../../../processors/model/text-bytes.ts';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { stepEventOf } from './sample-rows.ts';

/** All columns of an event; floats as their bits, times as µs, texts as hex, so that nothing stands between. */
export const eventSelect = `run_id, purpose, env_name, task_id, epoch, group_id, group_size, rollout_id, attempt, segment_id, seq,
  unsequenced_id, event_id, producer_id, kind, toUnixTimestamp64Micro(started_at) AS started_us,
  toUnixTimestamp64Micro(ended_at) AS ended_us, duration_us, source_format, source_version, source_location, extra_json,
  hex(text) AS text_hex, call_id, status, has_error, error_type, error_message, model, replica, prompt_prefix_len,
  has_prompt_delta_ids, prompt_delta_ids, has_completion_ids, completion_ids, has_completion_logprobs,
  arrayMap(p -> reinterpretAsUInt32(p), completion_logprobs) AS logprob_bits, logprobs_mode,
  weight_spans.start AS ws_start, weight_spans.version AS ws_version, finish_reason, queue_us, prefill_us, decode_us,
  server_e2e_us, tool_calls.call_id AS tc_call_id, tool_calls.name AS tc_name,
  arrayMap(a -> hex(a), tool_calls.arguments_raw) AS tc_raw, tool_calls.arguments_parsed AS tc_parsed,
  tool_calls.char_start AS tc_start, tool_calls.char_end AS tc_end, tool_calls.parse_status AS tc_status,
  tool_calls.parser AS tc_parser, role, tool_name, tool_turn, executed_arguments, exit_code, wait_us, exec_us, phase,
  reasons.raw AS reason_raw, reasons.system AS reason_system, reasons.detail AS reason_detail_of,
  reasons.after_end AS reason_after_end,
  toString(reinterpretAsUInt64(env_reward)) AS env_reward_bits, control_type, task_metadata_json, tools_json,
  tokenizer_sha256, template_sha256, weights_version, detail_json`;

type Text = string | null;
type Num = number | null;

export interface EventColumns {
  [name: string]: unknown;
  run_id: string;
  purpose: string;
  env_name: string;
  task_id: string;
  epoch: number;
  group_id: Text;
  group_size: Num;
  rollout_id: string;
  attempt: number;
  segment_id: string;
  seq: number;
  unsequenced_id: string;
  event_id: string;
  producer_id: string;
  kind: StepEvent['kind'];
  started_us: Num;
  ended_us: Num;
  duration_us: Num;
  source_format: string;
  source_version: string;
  source_location: Text;
  extra_json: Text;
  text_hex: Text;
  call_id: Text;
  status: string;
  has_error: boolean;
  error_type: Text;
  error_message: Text;
  prompt_delta_ids: number[];
  completion_ids: number[];
  logprob_bits: number[];
  ws_start: number[];
  ws_version: string[];
  tc_call_id: string[];
  tc_name: Text[];
  tc_raw: Text[];
  tc_parsed: Text[];
  tc_start: Num[];
  tc_end: Num[];
  tc_status: string[];
  tc_parser: Text[];
  reason_raw: string[];
  reason_system: string[];
  reason_detail_of: Text[];
  reason_after_end: boolean[];
  env_reward_bits: Text;
  detail_json: string;
}

/** The event that a row of `steps` or `step_faults` was written from. */
export function eventOfRow(row: EventColumns): StepEvent {
  const { kind } = row;
  expectKey(row);
  return stepEventOf({
    ...pick(
      row,
      'run_id',
      'purpose',
      'env_name',
      'task_id',
      'epoch',
      'group_id',
      'group_size',
      'rollout_id',
      'attempt',
    ),
    ...pick(row, 'segment_id', 'event_id', 'producer_id', 'kind', 'duration_us', 'extra_json'),
    seq: row.seq === -1 ? null : row.seq,
    started_at: row.started_us,
    ended_at: row.ended_us,
    source: { format: row.source_format, version: row.source_version, location: row.source_location },
    ...(kind !== 'unknown' && { [kind]: { ...rest(row), ...ofKind(kind, row) } }),
  });
}

function expectKey(row: EventColumns): void {
  const wanted = row.seq === -1 ? row.event_id : '';
  // In `steps` each control record has a row of its own.
  const isControl = row.kind === 'control' && row.unsequenced_id.startsWith(`${wanted} @`);
  if (row.unsequenced_id !== wanted && !isControl)
    throw new Error(`unsequenced_id of seq ${row.seq} is ${row.unsequenced_id}`);
}

function ofKind(kind: StepEvent['kind'], row: EventColumns): object {
  const text = bytes(row.text_hex);
  const error = row.has_error ? { type: row.error_type, message: row.error_message } : null;
  switch (kind) {
    case 'start':
      return {
        prompt: text,
        ...pick(row, 'task_metadata_json', 'tools_json', 'tokenizer_sha256', 'template_sha256', 'weights_version'),
      };
    case 'model_call':
      return {
        ...pick(row, 'call_id', 'model', 'replica', 'prompt_prefix_len', 'logprobs_mode', 'finish_reason'),
        ...pick(row, 'queue_us', 'prefill_us', 'decode_us', 'server_e2e_us'),
        prompt_delta_ids: row.has_prompt_delta_ids ? words(row.prompt_delta_ids) : null,
        completion_ids: row.has_completion_ids ? words(row.completion_ids) : null,
        completion_logprobs: row.has_completion_logprobs ? words(row.logprob_bits) : null,
        weight_spans: row.ws_start.map((start, i) => ({ start, version: row.ws_version[i] })),
        raw_text: text,
        tool_calls: row.tc_call_id.map((call_id, i) => ({
          ...{ call_id, name: row.tc_name[i], arguments_raw: bytes(row.tc_raw[i] ?? null) },
          ...{ arguments_parsed: row.tc_parsed[i], char_start: row.tc_start[i], char_end: row.tc_end[i] },
          ...{ parse_status: row.tc_status[i], parser: row.tc_parser[i] },
        })),
        error,
      };
    case 'message':
      return { role: row.role, parts_json: text && textOfBytes(text) };
    case 'tool_result':
      return {
        ...pick(row, 'call_id', 'executed_arguments', 'status', 'exit_code', 'wait_us', 'exec_us'),
        ...{ name: row.tool_name, turn: row.tool_turn, output: text, error },
      };
    case 'phase':
      return { phase: row.phase, error };
    case 'verdict':
      return { status: row.status };
    case 'end':
      return {
        reasons: row.reason_raw.map((raw, i) => ({
          ...{ raw, system: row.reason_system[i], detail: row.reason_detail_of[i], after_end: row.reason_after_end[i] },
        })),
        ...{ final_response: text, env_reward: double(row.env_reward_bits), exception: error },
      };
    case 'control':
      return { type: row.control_type };
    default:
      return {};
  }
}

/** detail_json, its strings for what JSON cannot hold turned back where the schema has a number. */
function rest(row: EventColumns): object {
  if (row.detail_json === '') return {};
  return JSON.parse(row.detail_json, (_key, value: unknown) =>
    value === 'Infinity' || value === '-Infinity' || value === '-0' ? Number(value) : value,
  );
}

function pick(row: EventColumns, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function bytes(hex: Text): Buffer | null {
  return hex === null ? null : Buffer.from(hex, 'hex');
}

function words(values: readonly number[]): Buffer {
  return Buffer.from(new Uint32Array(values).buffer);
}

function double(bits: Text): number | null {
  if (bits === null) return null;
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(bits));
  return buffer.readDoubleLE();
}
