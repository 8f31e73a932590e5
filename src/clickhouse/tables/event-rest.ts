import type {
  Control,
  End,
  Message,
  ModelCall,
  Phase,
  Start,
  StepEvent,
  ToolResult,
  Verdict,
} from '../../../schemas/generated/step-event.ts';
import { exactJson } from '../exact-json.ts';

/**
 * `detail_json`: the fields of the kind's record that have no column. Fields are taken away by name, never picked, so that
 * one added to the schema lands here until it has a column.
 */
export function eventRest(event: StepEvent): string {
  if (event.model_call) return exactJson(event.model_call, CALL_COLUMNS);
  if (event.start) return exactJson(event.start, START_COLUMNS);
  if (event.tool_result) return exactJson(event.tool_result, RESULT_COLUMNS);
  if (event.end) return exactJson(event.end, END_COLUMNS);
  if (event.message) return exactJson(event.message, MESSAGE_COLUMNS);
  if (event.phase) return exactJson(event.phase, PHASE_COLUMNS);
  if (event.verdict) return exactJson(event.verdict, VERDICT_COLUMNS);
  if (event.control) return exactJson(event.control, CONTROL_COLUMNS);
  return '';
}

const CALL_COLUMNS = new Set<keyof ModelCall>([
  'call_id',
  'model',
  'replica',
  'prompt_prefix_len',
  'prompt_delta_ids',
  'completion_ids',
  'completion_logprobs',
  'logprobs_mode',
  'weight_spans',
  'raw_text',
  'finish_reason',
  'queue_us',
  'prefill_us',
  'decode_us',
  'server_e2e_us',
  'tool_calls',
  'error',
]);
const START_COLUMNS = new Set<keyof Start>([
  'prompt',
  'task_metadata_json',
  'tools_json',
  'tokenizer_sha256',
  'template_sha256',
  'weights_version',
]);
const RESULT_COLUMNS = new Set<keyof ToolResult>([
  'call_id',
  'turn',
  'name',
  'executed_arguments',
  'status',
  'output',
  'exit_code',
  'wait_us',
  'exec_us',
  'error',
]);
const END_COLUMNS = new Set<keyof End>(['reasons', 'final_response', 'env_reward', 'exception']);
const MESSAGE_COLUMNS = new Set<keyof Message>(['role', 'parts_json']);
const PHASE_COLUMNS = new Set<keyof Phase>(['phase', 'error']);
const VERDICT_COLUMNS = new Set<keyof Verdict>(['status']);
const CONTROL_COLUMNS = new Set<keyof Control>(['type']);
