-- title: Fault owners
-- question: Whose fault is it that rollouts end as they do: the policy's, the environment's, the infrastructure's, the harness's?
-- param run: one run; empty: all
-- example: rollstream query --named fault_owners --param run=math
--
-- Of attempts that were decided, those that a higher attempt superseded left out. owner follows from the category of why the loop
-- ended: policy, env, infra and harness for their faults; budget: a limit ended it; completion, cancelled, unknown. Two reasons
-- have an owner whatever ended the loop. verifier: it did not answer. harness: an audit found that the record is not what was
-- sampled or executed, such as pipeline_drift or silent_repair.
-- share: of the attempts of the run and environment. trained: those that go to the trainer. mean_reward: over valid rewards, null
-- without any.
SELECT
  run_id,
  env_name,
  multiIf(
    why[1] IN ('verifier_timeout', 'reward_missing', 'verifier_error'), 'verifier',
    why[1] IN (
      'pipeline_drift', 'history_rewritten', 'replaced', 'render_drift', 'tool_json_rerender', 'prefix_beyond_held',
      'usage_mismatch', 'pad_row', 'routing_misaligned', 'oov_id',
      'bos_duplicated', 'bos_missing', 'bos_mid_sequence', 'separator_missing', 'separator_malformed', 'header_malformed',
      'unknown_role', 'text_outside_turn', 'gen_prompt_missing', 'gen_prompt_malformed', 'system_missing', 'system_inserted',
      'end_of_turn_doubled', 'end_of_turn_missing', 'sampled_after_end_of_turn', 'control_token_in_observation',
      'tool_turn_format', 'tool_turn_unmatched', 'tool_call_lost_in_history', 'think_stripped', 'think_prefill_in_completion',
      'think_rewrapped', 'orphan_think_close', 'html_escape', 'double_encoded_arguments', 'special_token_mismatch',
      'template_vars',
      'silent_repair', 'args_lost', 'argument_coerced', 'coerced', 'think_call_executed', 'executed_without_call',
      'parser_loss', 'call_not_executed', 'malformed_not_fed_back', 'duplicate_tool_event', 'unanswered_call',
      'termination_conflict', 'steps_after_end',
      'logprob_invalid', 'logprob_positive', 'logprob_constant', 'logprob_tail_padding', 'logprob_shift_suspected',
      'logprob_support_mismatch', 'weight_spans_gap', 'version_backwards'
    ), 'harness',
    transform(toString(category),
      ['policy_failure', 'env_fault', 'infra_fault', 'harness_fault', 'verifier_fault', 'budget', 'completion', 'cancelled'],
      ['policy', 'env', 'infra', 'harness', 'verifier', 'budget', 'completion', 'cancelled'], 'unknown')) AS owner,
  count() AS attempts,
  attempts / sum(attempts) OVER (PARTITION BY run_id, env_name) AS share,
  countIf(disposition IN ('train', 'train_masked', 'penalise')) AS trained,
  if(countIf(reward_valid AND isNotNull(reward)) = 0, NULL, avgIf(reward, reward_valid)) AS mean_reward
FROM rollstream.live_decisions
WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded'
GROUP BY run_id, env_name, owner
ORDER BY run_id, env_name, attempts DESC, owner
