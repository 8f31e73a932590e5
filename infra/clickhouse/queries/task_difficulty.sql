-- title: Task difficulty
-- question: How hard is each task for each weights version: attempts and pass rate?
-- param pass = 1: smallest reward that passes
-- param run: one run; empty: all
-- param task: one task; empty: all
-- example: rollstream query --named task_difficulty --param run=math
--
-- The version is the oldest that sampled; null: unknown. Rates are over attempts with a valid reward, null without any: a fault
-- says nothing about a task. spread is 0 where all have one reward, and a group of them has no advantage.
SELECT
  run_id,
  env_name,
  task_id,
  weights_version_min AS weights_version,
  count() AS attempts,
  countIf(isScored) AS scored,
  countIf(isScored AND reward >= threshold) AS passed,
  if(scored = 0, NULL, passed / scored) AS pass_rate,
  if(scored = 0, NULL, avgIf(reward, isScored)) AS mean_reward,
  if(scored = 0, NULL, maxIf(reward, isScored) - minIf(reward, isScored)) AS spread,
  countIf(disposition = 'retry') AS retried,
  max(decided_at) AS last_decided_at
FROM (
  SELECT
    *,
    reward_valid AND isNotNull(reward) AS isScored,
    if({pass:String} = '', 1, toFloat64({pass:String})) AS threshold
  FROM rollstream.live_decisions
  WHERE ({run:String} = '' OR run_id = {run:String}) AND ({task:String} = '' OR task_id = {task:String}) AND disposition != 'superseded'
)
GROUP BY run_id, env_name, task_id, weights_version_min
ORDER BY run_id, env_name, task_id, last_decided_at
