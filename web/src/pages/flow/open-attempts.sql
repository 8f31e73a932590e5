-- Attempts that have started, the newest first: those that are not decided yet (running), or all.
SELECT
  run_id, epoch, rollout_id, attempt, env_name, task_id, weights_version, started_at, count() OVER () AS of
FROM rollstream.live_attempts
WHERE ({run:String} = '' OR run_id = {run:String})
  AND {hour:String} IN ('', ifNull(toString(toStartOfHour(started_at)), '(none)'))
  AND ({book:String} = 'started' OR (run_id, unit, rollout_id, attempt) NOT IN (
    SELECT run_id, unit, rollout_id, attempt FROM rollstream.live_decisions WHERE ({run:String} = '' OR run_id = {run:String})))
ORDER BY appended_at DESC, run_id, epoch, rollout_id, attempt
LIMIT {limit:UInt32}
