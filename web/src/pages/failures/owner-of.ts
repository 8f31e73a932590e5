import { type Row, textOf } from '../../api/row.ts';

const OWNERS: Readonly<Record<string, string>> = {
  policy_failure: 'policy',
  env_fault: 'env',
  infra_fault: 'infra',
  harness_fault: 'harness',
  verifier_fault: 'verifier',
  budget: 'budget',
  completion: 'completion',
  cancelled: 'cancelled',
};

const OF_VERIFIER = new Set(['verifier_timeout', 'reward_missing', 'verifier_error']);

/** Findings by which the record is not what was sampled or executed. What the policy itself did wrong is none. */
const OF_HARNESS = new Set(
  `
  pipeline_drift history_rewritten replaced render_drift tool_json_rerender
  prefix_beyond_held usage_mismatch pad_row routing_misaligned oov_id
  bos_duplicated bos_missing bos_mid_sequence separator_missing separator_malformed
  header_malformed unknown_role text_outside_turn gen_prompt_missing gen_prompt_malformed
  system_missing system_inserted end_of_turn_doubled end_of_turn_missing sampled_after_end_of_turn
  control_token_in_observation tool_turn_format tool_turn_unmatched tool_call_lost_in_history think_stripped
  think_prefill_in_completion think_rewrapped orphan_think_close html_escape double_encoded_arguments
  special_token_mismatch template_vars
  silent_repair args_lost argument_coerced coerced think_call_executed
  executed_without_call parser_loss call_not_executed malformed_not_fed_back duplicate_tool_event
  unanswered_call
  termination_conflict steps_after_end
  logprob_invalid logprob_positive logprob_constant logprob_tail_padding logprob_shift_suspected
  logprob_support_mismatch weight_spans_gap version_backwards
  `
    .trim()
    .split(/\s+/),
);

/** As the named query fault_owners has it. */
export function ownerOf(row: Row): string {
  const reason = textOf(row, 'reason');
  if (OF_VERIFIER.has(reason)) return 'verifier';
  return OF_HARNESS.has(reason) ? 'harness' : (OWNERS[textOf(row, 'category')] ?? 'unknown');
}
