-- title: Phases over time
-- question: Does the time that rollouts spend on each phase grow, hour by hour?
-- param run: one run; empty: all
-- example: rollstream query --named phases_over_time --param run=math
--
-- hour: in which the attempt ended, by its source; null: its source has no time, or it never ended. attempts: those that spent time
-- on the phase; mean_ms is over them. Phases as in phases; verify, cleanup and trainer_wait follow the end.
SELECT
  run_id,
  hour,
  part.1 AS phase,
  count() AS attempts,
  sum(part.2) AS sum_ms,
  sum_ms / attempts AS mean_ms
FROM (
  SELECT run_id, toStartOfHour(ended_at) AS hour, arrayJoin(CAST(wall_ms, 'Array(Tuple(String, Float64))')) AS part
  FROM rollstream.live_trajectories
  WHERE ({run:String} = '' OR run_id = {run:String})
)
WHERE part.1 != 'total'
GROUP BY run_id, hour, phase
ORDER BY run_id, hour ASC NULLS LAST, phase
