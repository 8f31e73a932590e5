import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import { exactJson } from '../exact-json.ts';

/**
 * `detail_json`: the fields of the kind's record that have no column. Fields are taken away by name, never picked, so that
 * one added to the schema lands here until it has a column.
 */
export function eventRest(event: StepEvent): string {
  if (event.model_call) {
    const {
      call_id,
      model,
      replica,
      prompt_prefix_len,
      prompt_delta_ids,
      completion_ids,
      completion_logprobs,
      logprobs_mode,
      weight_spans,
      raw_text,
      finish_reason,
      queue_us,
      prefill_us,
      decode_us,
      server_e2e_us,
      tool_calls,
      error,
      ...rest
    } = event.model_call;
    return exactJson(rest);
  }
  if (event.start) {
    const { prompt, task_metadata_json, tools_json, tokenizer_sha256, template_sha256, weights_version, ...rest } =
      event.start;
    return exactJson(rest);
  }
  if (event.tool_result) {
    const { call_id, turn, name, executed_arguments, status, output, exit_code, wait_us, exec_us, error, ...rest } =
      event.tool_result;
    return exactJson(rest);
  }
  if (event.end) {
    const { reasons, final_response, env_reward, exception, ...rest } = event.end;
    return exactJson(rest);
  }
  if (event.message) {
    const { role, parts_json, ...rest } = event.message;
    return exactJson(rest);
  }
  if (event.phase) {
    const { phase, error, ...rest } = event.phase;
    return exactJson(rest);
  }
  if (event.verdict) {
    const { status, ...rest } = event.verdict;
    return exactJson(rest);
  }
  if (event.control) {
    const { type, ...rest } = event.control;
    return exactJson(rest);
  }
  return '';
}
