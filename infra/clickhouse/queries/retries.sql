-- title: Retries
-- question: What did retries buy: how many came back, how many of those were trained, with what reward?
-- param run: one run; empty: all
-- example: rollstream query --named retries --param run=math
--
-- reason: why the attempt was to run again. retried: such attempts; came_back: those of whose rollout a higher attempt has begun.
-- trained: those of whose rollout the last attempt is in the loss. mean_reward_after: over those whose last attempt has a valid
-- reward, null without any. A rollout that was retried twice counts twice.
WITH
  ended AS (
    SELECT
      run_id, unit, rollout_id,
      any(env_name) AS env,
      arraySort(groupArray((attempt, toString(disposition), why[1]))) AS told,
      argMax((in_loss, if(reward_valid, reward, NULL)), attempt) AS last
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String})
      AND (run_id, unit, rollout_id) IN (
        SELECT run_id, unit, rollout_id FROM rollstream.live_decisions
        WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition = 'retry')
    GROUP BY run_id, unit, rollout_id
  ),
  begun AS (
    SELECT run_id, unit, rollout_id, max(attempt) AS highest
    FROM rollstream.live_attempts
    WHERE ({run:String} = '' OR run_id = {run:String}) AND (run_id, unit, rollout_id) IN (SELECT run_id, unit, rollout_id FROM ended)
    GROUP BY run_id, unit, rollout_id
  ),
  retried_attempts AS (
    SELECT
      run_id, unit, rollout_id, env, last,
      tupleElement(told[-1], 1) AS last_attempt,
      arrayJoin(arrayFilter(one -> one.2 = 'retry', told)) AS retried
    FROM ended
  )
SELECT
  r.run_id AS run_id,
  r.env AS env_name,
  r.retried.3 AS reason,
  count() AS retried,
  countIf(b.highest > r.retried.1) AS came_back,
  countIf(r.last_attempt > r.retried.1 AND r.last.1) AS trained,
  if(countIf(r.last_attempt > r.retried.1 AND isNotNull(r.last.2)) = 0, NULL, avgIf(r.last.2, r.last_attempt > r.retried.1)) AS mean_reward_after
FROM retried_attempts AS r
LEFT JOIN begun AS b ON b.run_id = r.run_id AND b.unit = r.unit AND b.rollout_id = r.rollout_id
GROUP BY run_id, env_name, reason
ORDER BY run_id, env_name, retried DESC, reason
