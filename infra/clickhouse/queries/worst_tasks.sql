-- title: Worst tasks
-- question: Which tasks fail most, and why?
-- param run: one run; empty: all
-- param limit = 200: how many of each run, the worst first
-- example: rollstream query --named worst_tasks --param run=math
--
-- Of attempts that were decided, those that a higher attempt superseded left out, and those that are not for training (reason
-- `purpose`). failed: not for the trainer (dropped, quarantined, asked to run again). by_reason: of the failed ones, the most
-- frequent first. mean_reward: over valid rewards, null without any. example_rollout: of the failed one decided last, empty without
-- any. Worst: by failed_low, the lower end of the 95 % interval (Wilson) of failed_share, so that one failure of one attempt does
-- not outrank ninety of a hundred; then by the lowest mean reward.
SELECT
  run_id,
  env_name,
  task_id,
  attempts,
  failed,
  failed / attempts AS failed_share,
  arraySort(one -> (-toInt64(one.2), one.1), arrayZip(mapKeys(counted), mapValues(counted))) AS by_reason,
  mean_reward,
  example_rollout,
  if(failed = 0, 0, (failed_share + 3.8416 / (2 * attempts)
    - 1.96 * sqrt(failed_share * (1 - failed_share) / attempts + 3.8416 / (4 * attempts * attempts))) / (1 + 3.8416 / attempts)) AS failed_low
FROM (
  SELECT
    run_id,
    env_name,
    task_id,
    count() AS attempts,
    countIf(isFailed) AS failed,
    sumMapIf(map(why[1], toUInt64(1)), isFailed) AS counted,
    if(countIf(reward_valid AND isNotNull(reward)) = 0, NULL, avgIf(reward, reward_valid)) AS mean_reward,
    argMaxIf(rollout_id, (decided_at, partition, offset, rollout_id), isFailed) AS example_rollout
  FROM (
    SELECT *, disposition NOT IN ('train', 'train_masked', 'penalise') AS isFailed
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded' AND why[1] != 'purpose'
  )
  GROUP BY run_id, env_name, task_id
)
ORDER BY run_id, failed_low DESC, mean_reward ASC NULLS LAST, env_name, task_id
LIMIT {limit:UInt32} BY run_id
