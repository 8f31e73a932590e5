-- title: Slow tools
-- question: Which tools take the time of rollouts, and how often do they fail?
-- param run: one run; empty: all
-- example: rollstream query --named slow_tools --param run=math
--
-- Of every tool result, whatever became of its attempt. tool: empty, where the result names none. errors: of another status than ok
-- and unknown, or with an error; a call that was not executed is one. Times are the producer's: duration, else waiting and
-- execution; measured: how many calls have one; sum, quantiles and max are over those, null without any. wait_share: waiting for a
-- slot or a sandbox, of the time of the calls that give both; null: none does. example_rollout: of the slowest call.
SELECT
  run_id,
  env_name,
  tool,
  count() AS calls,
  countIf(isError) AS errors,
  count(us) AS measured,
  if(measured = 0, NULL, sum(us) / 1000) AS sum_ms,
  if(measured = 0, NULL, quantileExactIf(0.5)(assumeNotNull(us), isNotNull(us)) / 1000) AS p50_ms,
  if(measured = 0, NULL, quantileExactIf(0.95)(assumeNotNull(us), isNotNull(us)) / 1000) AS p95_ms,
  max(us) / 1000 AS max_ms,
  if(sumIf(us, isNotNull(wait_us)) > 0, sumIf(least(wait_us, us), isNotNull(wait_us) AND isNotNull(us)) / sumIf(us, isNotNull(wait_us)), NULL) AS wait_share,
  argMax(rollout_id, (ifNull(us, -1), rollout_id)) AS example_rollout
FROM (
  SELECT
    run_id,
    env_name,
    rollout_id,
    ifNull(toString(tool_name), '') AS tool,
    status NOT IN ('ok', 'unknown', '') OR has_error AS isError,
    wait_us,
    coalesce(duration_us, wait_us + exec_us, exec_us, wait_us) AS told_us,
    if(told_us >= 0, told_us, NULL) AS us
  FROM rollstream.live_steps
  WHERE ({run:String} = '' OR run_id = {run:String}) AND kind = 'tool_result'
)
GROUP BY run_id, env_name, tool
ORDER BY run_id, env_name, sum_ms DESC NULLS LAST, calls DESC, tool
