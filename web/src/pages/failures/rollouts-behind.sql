-- The attempts behind what is picked, the newest first. Empty: not asked for; (none): where there is none of it.
SELECT
  run_id, epoch, rollout_id, attempt, env_name, task_id, disposition, why[1] AS reason, reason_code, category,
  finish_reason, verifier_status, reward, n_turns, n_sampled_tokens, ended_at, count() OVER () AS of
FROM rollstream.live_decisions
WHERE ({run:String} = '' OR run_id = {run:String})
  AND multiIf(
    {outcome:String} = 'all', disposition != 'superseded',
    {outcome:String} = 'trained', disposition IN ('train', 'train_masked', 'penalise'),
    {outcome:String} = 'superseded', disposition = 'superseded',
    disposition NOT IN ('train', 'train_masked', 'penalise', 'superseded'))
  AND {env:String} IN ('', if(env_name = '', '(none)', env_name))
  AND {task:String} IN ('', if(task_id = '', '(none)', task_id))
  AND {reason:String} IN ('', if(empty(why), '(none)', why[1]))
  AND {code:String} IN ('', reason_code)
  AND {hour:String} IN ('', ifNull(toString(toStartOfHour(ended_at)), '(none)'))
  AND {owner:String} IN ('', multiIf(
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
      ['policy', 'env', 'infra', 'harness', 'verifier', 'budget', 'completion', 'cancelled'], 'unknown')))
  AND ({conflict:String} = '' OR has(conflicts, {conflict:String}))
  AND ({model:String} = ''
    OR ({model:String} = '(none)' AND (run_id, unit, rollout_id, attempt) NOT IN (
      SELECT run_id, unit, rollout_id, attempt FROM rollstream.live_steps
      WHERE ({run:String} = '' OR run_id = {run:String}) AND {model:String} != '' AND kind = 'model_call' AND model != ''))
    OR (run_id, unit, rollout_id, attempt) IN (
      SELECT run_id, unit, rollout_id, attempt FROM rollstream.live_steps
      WHERE ({run:String} = '' OR run_id = {run:String}) AND {model:String} != '' AND kind = 'model_call' AND model != ''
      GROUP BY run_id, unit, rollout_id, attempt
      HAVING arrayStringConcat(arraySort(groupUniqArray(assumeNotNull(model))), ', ') = {model:String}))
  AND ({whose:String} = '' OR (run_id, unit, rollout_id, attempt) IN (
    SELECT run_id, unit, rollout_id, attempt FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String}) AND {whose:String} != ''
      AND ifNull(reasons.attribution[indexOf(reasons.code, {code:String})], '(none)') = {whose:String}))
  AND ({raw:String} = '' OR (run_id, unit, rollout_id, attempt) IN (
    SELECT run_id, unit, rollout_id, attempt FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String}) AND {raw:String} != ''
      AND (has(arrayFilter((raw, code) -> code = 'unknown', reasons.raw, reasons.code), if({raw:String} = '(none)', '', {raw:String}))
        OR ({raw:String} = '(none)' AND empty(reasons.code) AND category = 'unknown'))))
ORDER BY decided_at DESC, run_id, epoch, rollout_id, attempt
LIMIT {limit:UInt32}
